package io.cantle.simulation.walk;

import io.cantle.core.segment.Seat;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.Evolution;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.topology.Topology;
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
 * A grid: its topologies, what its leader has been told, and which writes were acknowledged in it.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class WalkGrid implements Evolution.Facts {

  /** What somebody said of a segment in an epoch of it. */
  record Said(int segment, int epoch, Member by) {}

  private record Receiver(int segment, Member joiner) {}

  private final CacheLayout layout;
  private final List<Topology> history = new ArrayList<>();
  private final Map<Receiver, Integer> received = new HashMap<>();
  private final Set<Said> dropped = new HashSet<>();
  private final Map<Integer, Integer> toConfirm = new HashMap<>();
  private final Map<Integer, Integer> accepted = new HashMap<>();
  private final Map<Member, Long> adopted = new HashMap<>();
  private final Map<Member, Seat> seats = new HashMap<>();

  /** The writes that were acknowledged, for each segment. */
  final BitSet[] acknowledged;

  /** The latest epoch of each segment that everybody has entered who takes part. */
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
    suspended = first.charter().suspended();
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

  /** Goes on to the next topology. What was acknowledged in a segment that begins anew is over. */
  void decide(Topology next) {
    for (int segment = 0; segment < acknowledged.length; segment++) {
      if (layout.ownership(next, segment).born() > ownership(segment).epoch()) {
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

  Ownership ownership(int segment) {
    return layout.ownership(now(), segment);
  }

  // ------------------------------------------------------------------ what the leader is told

  /** Another member leads, and knows nothing of what the former one was told. */
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
    dropped.add(new Said(segment, epoch, by));
  }

  void reportOpened(int segment, int epoch) {
    toConfirm.put(segment, epoch);
  }

  void acceptLoss(int segment) {
    accepted.put(segment, ownership(segment).epoch());
  }

  void requestAdmission(WalkNode node) {
    joining.add(node.member);
    seats.put(node.member, node.seat);
    if (node.grid == null) {
      withoutCopies.add(node.member);
    }
  }

  /** Whether a joiner said that it holds everything. */
  boolean hasReceived(int segment, int epoch, Joiner joiner) {
    int said = received.getOrDefault(new Receiver(segment, joiner.member()), 0);
    return said >= joiner.since() && said <= epoch;
  }

  boolean isAccepted(int segment, int epoch) {
    return accepted.getOrDefault(segment, 0) == epoch;
  }

  // ------------------------------------------------------------------ facts

  @Override
  public List<Member> silent() {
    return silent;
  }

  @Override
  public List<Member> joining() {
    return joining;
  }

  @Override
  public Seat seat(Member member) {
    return seats.getOrDefault(member, Seat.USUAL);
  }

  @Override
  public boolean withoutCopies(Member member) {
    return withoutCopies.contains(member);
  }

  @Override
  public List<Member> leaving() {
    return leaving;
  }

  @Override
  public List<CacheDefinition> wanted() {
    return wanted;
  }

  @Override
  public boolean used() {
    return true;
  }

  @Override
  public boolean suspended() {
    return suspended;
  }

  @Override
  public boolean lossAccepted(int cache, int segment, int epoch) {
    return isAccepted(layout.index(cache, segment), epoch);
  }

  @Override
  public boolean dropped(int cache, int segment, Member member) {
    int index = layout.index(cache, segment);
    return dropped.contains(new Said(index, ownership(index).epoch(), member));
  }

  @Override
  public boolean received(int cache, int segment, int epoch, Joiner joiner) {
    return hasReceived(layout.index(cache, segment), epoch, joiner);
  }

  @Override
  public boolean opened(int cache, int segment, int epoch) {
    return toConfirm.getOrDefault(layout.index(cache, segment), 0) == epoch;
  }

  @Override
  public long adopted(Member member) {
    return adopted.getOrDefault(member, 0L);
  }
}
