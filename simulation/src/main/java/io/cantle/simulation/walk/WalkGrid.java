package io.cantle.simulation.walk;

import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.SegmentOwnership.Joiner;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyPlanner;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * A grid of a walk: its topologies, what its leader has been told, and which writes were
 * acknowledged in it.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class WalkGrid implements TopologyPlanner.PlannerFacts {

  /** A report about a segment in one of its epochs. */
  record DropReport(int segment, int epoch, Member by) {}

  private record Receiver(int segment, Member joiner) {}

  private final CacheLayout layout;
  private final List<Topology> history = new ArrayList<>();
  private final Map<Receiver, Integer> received = new HashMap<>();
  private final Set<DropReport> dropped = new HashSet<>();
  private final Map<Integer, Integer> toConfirm = new HashMap<>();
  private final Map<Integer, Integer> accepted = new HashMap<>();
  private final Map<Member, Long> adopted = new HashMap<>();
  private final Map<Member, MemberCapacity> seats = new HashMap<>();

  /** The acknowledged writes of each segment. */
  final BitSet[] acknowledged;

  /** The latest epoch of each segment that all its participants have entered. */
  final int[] opened;

  /** The latest epoch of each segment that was served. */
  final int[] served;

  final List<Member> silent = new ArrayList<>();
  final List<Member> joining = new ArrayList<>();
  final Set<Member> withoutCopies = new HashSet<>();
  final List<Member> leaving = new ArrayList<>();
  final List<CacheDefinition> wanted = new ArrayList<>();
  boolean suspended;

  WalkGrid(CacheLayout layout, Topology first) {
    this.layout = layout;
    this.acknowledged = new BitSet[layout.segments()];
    this.opened = new int[layout.segments()];
    this.served = new int[layout.segments()];
    for (int segment = 0; segment < layout.segments(); segment++) {
      acknowledged[segment] = new BitSet();
    }
    suspended = first.gridDefinition().isRebalanceSuspended();
    history.add(first);
  }

  UUID id() {
    return now().gridId();
  }

  Topology now() {
    return history.getLast();
  }

  Topology at(long number) {
    return history.get(Math.toIntExact(number - history.getFirst().number()));
  }

  /**
   * Goes on to the next topology. What was acknowledged in a segment that begins anew no longer
   * counts.
   */
  void decide(Topology next) {
    for (int segment = 0; segment < acknowledged.length; segment++) {
      if (layout.ownership(next, segment).birthEpoch() > ownership(segment).epoch()) {
        acknowledged[segment].clear();
      }
    }
    history.add(next);
    silent.clear();
    joining.clear();
    leaving.clear();
    accepted.clear();
    withoutCopies.clear();
    adopted.keySet().retainAll(next.members());
  }

  SegmentOwnership ownership(int segment) {
    return layout.ownership(now(), segment);
  }

  // ------------------------------------------------------------------ what the leader is told

  /** Makes another member the leader, which knows nothing of what the former one was told. */
  void changeLeader() {
    received.clear();
    dropped.clear();
    toConfirm.clear();
    adopted.clear();
  }

  void reportAdopted(Member member, long number) {
    adopted.merge(member, number, Math::max);
  }

  void reportReceived(int segment, int epoch, Member joiner) {
    received.merge(new Receiver(segment, joiner), epoch, Math::max);
  }

  void reportDropped(int segment, int epoch, Member by) {
    dropped.add(new DropReport(segment, epoch, by));
  }

  void reportOpened(int segment, int epoch) {
    toConfirm.put(segment, epoch);
  }

  void acceptLoss(int segment) {
    accepted.put(segment, ownership(segment).epoch());
  }

  void requestAdmission(WalkNode node) {
    joining.add(node.member);
    seats.put(node.member, node.memberCapacity);
    if (node.grid == null) {
      withoutCopies.add(node.member);
    }
  }

  /** Returns whether a joiner reported that it holds everything. */
  boolean hasReceived(int segment, int epoch, Joiner joiner) {
    int said = received.getOrDefault(new Receiver(segment, joiner.member()), 0);
    return said >= joiner.sinceEpoch() && said <= epoch;
  }

  boolean isAccepted(int segment, int epoch) {
    return accepted.getOrDefault(segment, 0) == epoch;
  }

  // ------------------------------------------------------------------ facts

  @Override
  public List<Member> silentMembers() {
    return silent;
  }

  @Override
  public List<Member> joiningMembers() {
    return joining;
  }

  @Override
  public MemberCapacity capacityOf(Member member) {
    return seats.getOrDefault(member, MemberCapacity.DEFAULT);
  }

  @Override
  public boolean hasNoCopies(Member member) {
    return withoutCopies.contains(member);
  }

  @Override
  public List<Member> leavingMembers() {
    return leaving;
  }

  @Override
  public List<CacheDefinition> requestedCaches() {
    return wanted;
  }

  @Override
  public boolean isWritten() {
    return true;
  }

  @Override
  public boolean isRebalanceSuspended(GridDefinition now) {
    return suspended;
  }

  @Override
  public boolean isLossAccepted(int cache, int segment, int epoch) {
    return isAccepted(layout.index(cache, segment), epoch);
  }

  @Override
  public boolean hasDropped(int cache, int segment, Member member) {
    int index = layout.index(cache, segment);
    return dropped.contains(new DropReport(index, ownership(index).epoch(), member));
  }

  @Override
  public boolean hasReceived(int cache, int segment, int epoch, Joiner joiner) {
    return hasReceived(layout.index(cache, segment), epoch, joiner);
  }

  @Override
  public boolean isOpened(int cache, int segment, int epoch) {
    return toConfirm.getOrDefault(layout.index(cache, segment), 0) == epoch;
  }

  @Override
  public long adoptedNumber(Member member) {
    return adopted.getOrDefault(member, 0L);
  }
}
