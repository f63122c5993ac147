package io.cantle.core.ownership;

import io.cantle.CacheConfig;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** The facts that a leader knows, set by a test. */
public final class ManualFacts implements TopologyPlanner.PlannerFacts {
  record Receipt(int cache, int segment, int epoch, Member joiner) {}

  public final List<Member> silentMembers = new ArrayList<>();
  public final List<Member> joiningMembers = new ArrayList<>();
  public final List<Member> membersWithoutCopies = new ArrayList<>();
  public final List<Member> leavingMembers = new ArrayList<>();
  public final List<CacheDefinition> requestedCaches = new ArrayList<>();
  public final Set<Integer> destroyedCaches = new HashSet<>();
  public final Set<Integer> acceptedLosses = new HashSet<>();
  final Set<Receipt> receipts = new HashSet<>();
  final Set<Receipt> openedEpochs = new HashSet<>();
  public final Set<Member> droppedReplicas = new HashSet<>();
  public final Map<Member, Long> adoptedNumbers = new HashMap<>();
  public final Map<Member, MemberCapacity> capacities = new HashMap<>();
  public boolean written;
  public boolean suspended;

  /** Returns a grid of these members with one cache, "users", of six segments. */
  Topology founded(Member... members) {
    requestedCaches.add(new CacheDefinition("users", CacheConfig.distributed().segments(6)));
    Topology first = TopologyFixture.founded(members);
    adoptAll(first);
    return TopologyPlanner.plan(first, this);
  }

  /** Returns what becomes of a topology when all members receive and adopt whatever there is. */
  public Topology settled(Topology from) {
    Topology now = from;
    for (int i = 0; i < 20; i++) {
      receiveAll(now);
      openAll(now);
      adoptAll(now);
      Topology next = TopologyPlanner.plan(now, this);
      if (next.number() == now.number()) {
        return now;
      }
      now = next;
    }
    throw new AssertionError("does not settle: " + now);
  }

  @Override
  public boolean isDestroyRequested(int cache) {
    return destroyedCaches.contains(cache);
  }

  /** A node asks to be admitted: a new one, or one that returns. */
  public void join(Member member) {
    silentMembers.remove(member);
    joiningMembers.add(member);
  }

  /** From now on these members are not heard. */
  public void crash(List<Member> members) {
    silentMembers.addAll(members);
    joiningMembers.removeAll(members);
    leavingMembers.removeAll(members);
    adoptedNumbers.keySet().removeAll(members);
  }

  /** From now on a member is not heard. */
  public void crash(Member member) {
    crash(List.of(member));
  }

  public void receive(int cache, int segment, int epoch, Member joiner) {
    receipts.add(new Receipt(cache, segment, epoch, joiner));
  }

  void receiveAll(Topology topology) {
    for (Topology.CacheOwnership one : topology.caches()) {
      int cache = one.index();
      List<SegmentOwnership> segments = one.segments();
      for (int segment = 0; segment < segments.size(); segment++) {
        for (SegmentOwnership.Joiner joiner : segments.get(segment).joiners()) {
          receive(cache, segment, segments.get(segment).epoch(), joiner.member());
        }
      }
    }
  }

  /** Primaries say that they have opened the epochs that are to be confirmed. */
  void openAll(Topology topology) {
    for (Topology.CacheOwnership one : topology.caches()) {
      int cache = one.index();
      List<SegmentOwnership> segments = one.segments();
      for (int segment = 0; segment < segments.size(); segment++) {
        SegmentOwnership ownership = segments.get(segment);
        if (ownership.isUnconfirmed() && !ownership.isLost()) {
          openedEpochs.add(new Receipt(cache, segment, ownership.epoch(), ownership.primary()));
        }
      }
    }
  }

  public void adoptAll(Topology topology) {
    topology.members().forEach(member -> adoptedNumbers.put(member, topology.number()));
  }

  @Override
  public List<Member> silentMembers() {
    return List.copyOf(silentMembers);
  }

  @Override
  public List<Member> joiningMembers() {
    return List.copyOf(joiningMembers);
  }

  @Override
  public MemberCapacity capacityOf(Member member) {
    return capacities.getOrDefault(member, MemberCapacity.DEFAULT);
  }

  @Override
  public boolean hasNoCopies(Member member) {
    return membersWithoutCopies.contains(member);
  }

  @Override
  public List<Member> leavingMembers() {
    return List.copyOf(leavingMembers);
  }

  @Override
  public List<CacheDefinition> requestedCaches() {
    return requestedCaches;
  }

  @Override
  public boolean isWritten() {
    return written;
  }

  @Override
  public boolean isRebalanceSuspended(GridDefinition now) {
    return suspended;
  }

  @Override
  public boolean isLossAccepted(int cache, int segment, int epoch) {
    return acceptedLosses.contains(cache);
  }

  @Override
  public boolean hasDropped(int cache, int segment, Member member) {
    return droppedReplicas.contains(member);
  }

  @Override
  public boolean hasReceived(int cache, int segment, int epoch, SegmentOwnership.Joiner joiner) {
    return IntStream.rangeClosed(joiner.sinceEpoch(), epoch)
        .anyMatch(said -> receipts.contains(new Receipt(cache, segment, said, joiner.member())));
  }

  @Override
  public boolean isOpened(int cache, int segment, int epoch) {
    return openedEpochs.stream()
        .anyMatch(
            opening ->
                opening.cache == cache && opening.segment == segment && opening.epoch == epoch);
  }

  @Override
  public long adoptedNumber(Member member) {
    return adoptedNumbers.getOrDefault(member, 0L);
  }
}
