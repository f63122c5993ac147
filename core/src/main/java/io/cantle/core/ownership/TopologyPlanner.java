package io.cantle.core.ownership;

import io.cantle.core.ownership.CacheCatalog.DestroyedCache;
import io.cantle.core.ownership.SegmentOwnership.Joiner;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The pure function from one topology to the next. It decides which nodes are members, which leave,
 * and which caches there are. {@link CachePlanner} decides what becomes of the segments of a cache.
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
@SuppressWarnings("ReferenceEquality") // An unchanged topology is the same object.
public final class TopologyPlanner {

  /**
   * What the leader has been told; read only while {@link #plan} runs. Each default answers that
   * nothing is known.
   */
  public interface PlannerFacts {
    /** Members that have been silent for so long that they are to be excluded. */
    default List<Member> silentMembers() {
      return List.of();
    }

    /** Nodes that ask to be admitted. */
    default List<Member> joiningMembers() {
      return List.of();
    }

    /** The capacity of a node that asks to be admitted. */
    default MemberCapacity capacityOf(Member member) {
      return MemberCapacity.DEFAULT;
    }

    /**
     * Whether a node that asks to be admitted holds no replicas, because it has left this grid in
     * the meantime or its node has never been in it.
     */
    default boolean hasNoCopies(Member member) {
      return false;
    }

    /**
     * Whether another incarnation of a member's node has appeared, which proves that the member has
     * ended, and was told to come as a new node. What the member had in memory is gone.
     */
    default boolean isDiscarded(Member member) {
      return false;
    }

    /** Members that want to leave. */
    default List<Member> leavingMembers() {
      return List.of();
    }

    /** Caches that members want to open. */
    default List<CacheDefinition> requestedCaches() {
      return List.of();
    }

    /** Whether a cache is to be destroyed. */
    default boolean isDestroyRequested(int cache) {
      return false;
    }

    /** Whether a caller wants to write. */
    default boolean isWritten() {
      return false;
    }

    /** Whether rebalancing is to be suspended in the grid that is so defined now. */
    default boolean isRebalanceSuspended(GridDefinition now) {
      return now.isRebalanceSuspended();
    }

    /** Whether the data of a segment that was lost in this epoch is given up. */
    default boolean isLossAccepted(int cache, int segment, int epoch) {
      return false;
    }

    /**
     * Whether a member that counts as a holder of a segment said that it has dropped its replica.
     */
    default boolean hasDropped(int cache, int segment, Member member) {
      return false;
    }

    /**
     * Whether a joiner said that it holds all of a segment, in an epoch up to this one. It has
     * taken part in every write since it began to join, so once it holds everything, it does so
     * until it is no longer a joiner.
     */
    default boolean hasReceived(int cache, int segment, int epoch, Joiner joiner) {
      return false;
    }

    /** Whether the primary of a segment said that it has opened this epoch. */
    default boolean isOpened(int cache, int segment, int epoch) {
      return false;
    }

    /** The number of the topology that a member said it has adopted; 0 if nothing is known. */
    default long adoptedNumber(Member member) {
      return 0;
    }

    /** Whether a member of a topology has said that it knows of its admission. */
    default boolean hasConfirmedAdmission(Topology current, Member member) {
      long admission = current.membership().admissionNumber(member);
      return admission > 0 && adoptedNumber(member) >= admission;
    }
  }

  /** Facts that say only that some members are gone and some nodes are back. */
  public record AbsenceFacts(List<Member> silentMembers, List<Member> joiningMembers)
      implements PlannerFacts {}

  private final Topology current;
  private final PlannerFacts facts;
  private final List<Member> nextMembers;
  private final List<Member> nextLeaving;
  private final List<Member> eligibleOwners;
  private final List<Member> eligibleDurableOwners;
  private final boolean mustSuspend;
  private final boolean mustReassign;

  private TopologyPlanner(Topology current, PlannerFacts facts) {
    this.current = current;
    this.facts = facts;
    Set<Member> leavers = new LinkedHashSet<>(current.leaving());
    leavers.addAll(facts.leavingMembers());
    nextMembers = nextMembers(leavers);
    nextLeaving = leavers.stream().filter(nextMembers::contains).toList();
    mustSuspend = facts.isRebalanceSuspended(current.gridDefinition());
    eligibleOwners = eligibleOwners(nextMembers, nextLeaving);
    eligibleDurableOwners =
        eligibleOwners(nextMembers.stream().filter(Member::hasStore).toList(), nextLeaving);
    mustReassign =
        !eligibleOwners.equals(eligibleOwners(current.members(), current.leaving()))
            || current.gridDefinition().isRebalanceSuspended() != mustSuspend;
  }

  /** Returns the next topology, or the same object if nothing is to change. */
  public static Topology plan(Topology now, PlannerFacts facts) {
    return new TopologyPlanner(now, facts).plan();
  }

  private Topology plan() {
    GridDefinition gridDefinition = current.gridDefinition();
    if (facts.isWritten() && !gridDefinition.isWritten()) {
      gridDefinition = gridDefinition.withWritten(true);
    }
    if (mustSuspend != gridDefinition.isRebalanceSuspended()) {
      gridDefinition = gridDefinition.withRebalanceSuspended(mustSuspend);
    }
    boolean changed = gridDefinition != current.gridDefinition();
    changed |= !nextMembers.equals(current.members()) || !nextLeaving.equals(current.leaving());
    CacheCatalog caches = planCaches();
    changed |= caches != current.caches();
    long remainingBytes =
        facts.requestedCaches().isEmpty()
            ? 0
            : TopologySizeLimit.MAX_BYTES_AT_CACHE_CREATION
                - TopologySizeLimit.topologyBytes(current);
    for (CacheDefinition wanted : facts.requestedCaches()) {
      if (!caches.isNameTaken(wanted.name())
          && !caches.isFull()
          && caches.budgetProblem(wanted) == null
          && areOwnersConfirmed()
          && (!wanted.isDurable() || eligibleDurableOwners.isEmpty() || isDecisionDurable())
          && remainingBytes >= TopologySizeLimit.addedBytes(current.members(), wanted)) {
        remainingBytes -= TopologySizeLimit.addedBytes(current.members(), wanted);
        caches = caches.with(foundCache(caches.nextIndex(), wanted));
        changed = true;
      }
    }
    long number = current.number() + 1;
    Membership membership =
        current
            .membership()
            .withChanges(
                number,
                nextMembers,
                facts::capacityOf,
                nextLeaving,
                gridDefinition.oldestDecides(),
                this::hasConfirmedAdmission,
                caches.stream().anyMatch(cache -> cache.definition().isDurable())
                    || facts.requestedCaches().stream().anyMatch(CacheDefinition::isDurable))
            .releasing(releasedMembers());
    changed |= !membership.voters().equals(current.membership().voters());
    if (!changed) {
      return current;
    }
    return new Topology(number, gridDefinition, membership, caches);
  }

  /** The caches without those that are to be destroyed; the same object if nothing changes. */
  private CacheCatalog planCaches() {
    CacheCatalog before = current.caches();
    List<CacheOwnership> present = new ArrayList<>();
    SortedMap<Integer, DestroyedCache> destroyed = new TreeMap<>(before.destroyed());
    destroyed.values().removeIf(cache -> isKnownToAll(cache.number()));
    boolean changed = destroyed.size() != before.destroyed().size();
    long lastDestroyNumber = before.lastDestroyNumber();
    for (CacheOwnership cache : before) {
      if (facts.isDestroyRequested(cache.index())) {
        lastDestroyNumber = current.number() + 1;
        destroyed.put(
            cache.index(), new DestroyedCache(cache.definition().name(), lastDestroyNumber));
        changed = true;
        continue;
      }
      CacheOwnership after =
          newCachePlanner(cache.index(), cache.definition()).planCache(cache, mustReassign);
      changed |= after != cache;
      present.add(after);
    }
    return changed
        ? new CacheCatalog(present, destroyed, before.nextIndex(), lastDestroyNumber)
        : before;
  }

  /**
   * Whether no member that stays acts by a topology from before the one with this number. An
   * excluded one has no lease left, and does what it is told when it is back.
   */
  private boolean isKnownToAll(long number) {
    return nextMembers.stream()
        .filter(current.members()::contains)
        .allMatch(member -> facts.adoptedNumber(member) >= number);
  }

  /**
   * Whether a member has said that it knows of its admission. Only then does it vote: of several
   * members admitted together, all may have died since, and they could be most of the voters.
   */
  private boolean hasConfirmedAdmission(Member member) {
    return facts.hasConfirmedAdmission(current, member);
  }

  /**
   * Whether all members that are to own a part of a new cache are known to be alive. Some that
   * founded the grid, or were admitted just now, may have died since. Once a caller writes, a
   * segment that only they own would be lost, though it was never written to. They show that they
   * are alive, or they are excluded.
   */
  private boolean areOwnersConfirmed() {
    return eligibleOwners.stream().allMatch(this::hasConfirmedAdmission);
  }

  /**
   * Whether the voters remember decisions after a restart, and every member that may own durable
   * segments knows these voters. A write acknowledged before that may be on all disks when all
   * nodes stop. All of them would restart knowing an earlier topology, and most of its voters would
   * never return.
   */
  private boolean isDecisionDurable() {
    Membership membership = current.membership();
    return membership.voters().stream().allMatch(Member::hasStore)
        && eligibleDurableOwners.stream()
            .allMatch(
                member ->
                    hasConfirmedAdmission(member)
                        && facts.adoptedNumber(member) >= membership.votersSinceNumber());
  }

  /**
   * Returns the members of the next topology. A leaving member is let go once no segment needs it
   * and it knows that itself; before, it may believe that it owns something. Its vote must not be
   * needed either. So most of the voters that stay must have shown that they are alive since it
   * asked to leave, for some may have died just before. A member that is excluded may return in a
   * later topology.
   */
  private List<Member> nextMembers(Set<Member> leavers) {
    List<Member> staying = new ArrayList<>();
    List<Member> silent = facts.silentMembers();
    for (Member member : current.members()) {
      if (silent.contains(member)) {
        // The next incarnation of its node takes its place.
        facts.joiningMembers().stream()
            .filter(incarnation -> incarnation.isSameNode(member) && !incarnation.equals(member))
            .limit(1)
            .forEach(staying::add);
      } else {
        staying.add(member);
      }
    }
    List<Member> letGo =
        staying.stream()
            .filter(current.leaving()::contains)
            .filter(member -> !current.needs(member) && hasAdoptedCurrent(member))
            .toList();
    List<Member> others = new ArrayList<>(current.membership().voters());
    others.retainAll(staying);
    others.removeAll(letGo);
    // When all present members leave, they go together, once the silent ones are excluded. Each
    // goes by itself as soon as it knows that all leave. A member that is let go meanwhile could
    // wait for votes of others that are gone already, while those left wait for it to go.
    boolean anyStays = !current.leaving().containsAll(staying);
    if (anyStays
        && (others.isEmpty()
            || 2 * others.stream().filter(this::hasAdoptedCurrent).count() > others.size())) {
      staying.removeAll(letGo);
    }
    if (staying.isEmpty()) {
      return current.members();
    }
    for (Member member : facts.joiningMembers()) {
      if (!current.members().contains(member) && staying.stream().noneMatch(member::isSameNode)) {
        staying.add(member);
        leavers.remove(member);
      }
    }
    return staying;
  }

  /**
   * The members that go as they may, and are not excluded. A leaving member that falls silent
   * before it is let go may still have held something. If all leave, none hands anything over, and
   * each goes by itself.
   */
  private List<Member> releasedMembers() {
    boolean allLeave = current.leaving().containsAll(current.members());
    return current.leaving().stream()
        .filter(member -> !nextMembers.contains(member))
        .filter(member -> allLeave || !facts.silentMembers().contains(member))
        .toList();
  }

  /** Whether a member said that it has adopted the current topology. */
  private boolean hasAdoptedCurrent(Member member) {
    return facts.adoptedNumber(member) >= current.number();
  }

  private MemberCapacity capacityOf(Member member) {
    return current.members().contains(member)
        ? current.membership().capacityOf(member)
        : facts.capacityOf(member);
  }

  /**
   * Returns the members that may own segments. Leaving members are among them only if all that
   * could own segments are leaving.
   */
  private List<Member> eligibleOwners(List<Member> members, List<Member> leavers) {
    List<Member> holding =
        members.stream().filter(member -> capacityOf(member).mayOwnSegments()).toList();
    List<Member> staying = holding.stream().filter(Predicate.not(leavers::contains)).toList();
    return staying.isEmpty() ? holding : staying;
  }

  private CachePlanner newCachePlanner(int cache, CacheDefinition definition) {
    return new CachePlanner(
        current,
        facts,
        new CachePlanner.PlannedMembers(
            nextMembers,
            nextLeaving,
            definition.isDurable() ? eligibleDurableOwners : eligibleOwners,
            this::capacityOf),
        cache,
        definition,
        !definition.isDurable() || isDecisionDurable());
  }

  private CacheOwnership foundCache(int index, CacheDefinition definition) {
    List<List<Member>> noOwners =
        Collections.nCopies(definition.config().segments(), List.<Member>of());
    CachePlanner planner = newCachePlanner(index, definition);
    return new CacheOwnership(
        index,
        current.number() + 1,
        definition,
        planner.assignOwners(noOwners).stream().map(planner::firstOwnership).toList());
  }
}
