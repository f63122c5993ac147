package io.cantle.core.ownership;

import io.cantle.CacheMode;
import io.cantle.Durability;
import io.cantle.core.ownership.SegmentOwnership.Joiner;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pure function from the segments of a cache in one topology to those in the next. Each segment
 * moves independently of the others, and each change of it begins an epoch.
 *
 * <p><b>A holder</b> of a segment is a member whose replica has every acknowledged write. That is
 * an owner; an excluded owner, if no member has served the segment since its exclusion; or a joiner
 * that has received everything, for a joiner takes part in every write from the epoch in which it
 * began to join. These rules keep holders:
 *
 * <ul>
 *   <li>A joiner becomes an owner in the next epoch once it is a holder, whatever the others do.
 *   <li>An owner that is no longer wanted retires only when all wanted owners are in sync.
 *   <li>While fewer owners are in sync than are wanted, no joiner is sent away: it may be a holder
 *       without the leader having heard so.
 *   <li>A segment is lost, or in an available grid begins empty, only if no member is present that
 *       is known to be a holder. While it is lost, its joiners keep their replicas, and each
 *       reports whether it is a holder.
 * </ul>
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
@SuppressWarnings("ReferenceEquality") // "Nothing changed" is the same object.
final class CachePlanner {

  /**
   * The members of the next topology.
   *
   * @param presentMembers all of them
   * @param leavingMembers the ones that hand over what they hold
   * @param eligibleOwners the ones that may own segments of the cache
   * @param capacities the capacities of the current and the next members
   */
  record PlannedMembers(
      List<Member> presentMembers,
      List<Member> leavingMembers,
      List<Member> eligibleOwners,
      Function<? super Member, MemberCapacity> capacities) {}

  private final Topology current;
  private final TopologyPlanner.PlannerFacts facts;
  private final PlannedMembers plannedMembers;
  private final List<Member> presentMembers;
  private final int cacheIndex;
  private final boolean durable;
  private final Durability durability;

  /** How many replicas a segment is to have. */
  private final int replicaCount;

  /** Whether a vacant segment, of which no member was there to be an owner, may begin. */
  private final boolean mayBegin;

  /** Plans the segments of a scattered cache; null for other caches. */
  private final @Nullable HolderPlanner holderPlanner;

  /**
   * Plans one cache.
   *
   * @param cacheIndex the index of the cache in the topology
   * @param mayBegin whether a vacant segment may begin
   */
  CachePlanner(
      Topology current,
      TopologyPlanner.PlannerFacts facts,
      PlannedMembers plannedMembers,
      int cacheIndex,
      CacheDefinition definition,
      boolean mayBegin) {
    this.current = current;
    this.facts = facts;
    this.plannedMembers = plannedMembers;
    this.presentMembers = plannedMembers.presentMembers();
    this.cacheIndex = cacheIndex;
    this.durable = definition.isDurable();
    this.durability = definition.config().durability();
    this.mayBegin = mayBegin;
    // Without an eligible owner no replica is assigned, whatever the count is.
    int eligibleCount = Math.max(1, plannedMembers.eligibleOwners().size());
    this.replicaCount =
        definition.config().mode() == CacheMode.REPLICATED
            ? eligibleCount
            : definition.isScattered() ? 1 : Math.min(definition.config().owners(), eligibleCount);
    this.holderPlanner =
        definition.isScattered()
            ? new HolderPlanner(current, facts, plannedMembers, cacheIndex)
            : null;
  }

  /** A segment of a new cache, which is empty. */
  SegmentOwnership firstOwnership(List<Member> owners) {
    return holderPlanner == null
        ? SegmentOwnership.empty(1, owners, List.of())
        : holderPlanner.begin(1, owners, List.of());
  }

  /** The next segments, or the same object if nothing is to change. */
  CacheOwnership planCache(CacheOwnership before, boolean reassign) {
    List<SegmentOwnership> known =
        holderPlanner != null
            ? before.segments()
            : before.segments().stream().map(this::withoutReturnedEmpty).toList();
    boolean vacant =
        mayBegin
            && !plannedMembers.eligibleOwners().isEmpty()
            && known.stream().anyMatch(SegmentOwnership::isVacant);
    List<List<Member>> targets =
        targetOwners(known, reassign || vacant || isAnySegmentFound(known));
    boolean changed = false;
    List<SegmentOwnership> segments = new ArrayList<>();
    for (int segment = 0; segment < known.size(); segment++) {
      SegmentOwnership from = known.get(segment);
      SegmentOwnership to =
          from.isVacant() && !mayBegin ? from : planSegment(segment, from, targets.get(segment));
      changed |= to != before.segments().get(segment);
      segments.add(to);
    }
    return changed ? before.withSegments(segments) : before;
  }

  // ------------------------------------------------------------------ assignment of owners

  /** Assigns target owners to each segment, given the members that hold it. */
  List<List<Member>> assignOwners(List<List<Member>> held) {
    return OwnerAssignment.assign(
        held, plannedMembers.eligibleOwners(), plannedMembers.capacities(), replicaCount);
  }

  /** Whether some segment that was lost is to have owners again. */
  private boolean isAnySegmentFound(List<SegmentOwnership> known) {
    if (holderPlanner != null) {
      return false;
    }
    for (int segment = 0; segment < known.size(); segment++) {
      SegmentOwnership from = known.get(segment);
      if (from.isLost()
          && (!remainsLost(segment, from)
              || !inSyncHolders(segment, from, holders(segment, from)).isEmpty())) {
        return true;
      }
    }
    return false;
  }

  /** Whether a lost segment stays lost unless one of its holders is present. */
  private boolean remainsLost(int segment, SegmentOwnership lost) {
    return !facts.isLossAccepted(cacheIndex, segment, lost.epoch())
        && (!lost.lastOwners().isEmpty() || mayBeHeldByJoiner(segment, lost));
  }

  private List<List<Member>> targetOwners(List<SegmentOwnership> known, boolean reassigns) {
    if (!reassigns) {
      return known.stream().map(SegmentOwnership::targetOwners).toList();
    }
    List<List<Member>> held = known.stream().map(this::assignableMembers).toList();

    List<List<Member>> assigned = assignOwners(held);
    if (!facts.isRebalanceSuspended(current.gridDefinition())) {
      return assigned;
    }
    List<List<Member>> targets = new ArrayList<>();
    for (int segment = 0; segment < held.size(); segment++) {
      boolean stays =
          !held.get(segment).isEmpty()
              && plannedMembers.leavingMembers().stream()
                  .noneMatch(known.get(segment).owners()::contains);
      targets.add(stays ? held.get(segment) : assigned.get(segment));
    }
    return targets;
  }

  /** The members that hold or fetch a segment and may go on: a new assignment should keep them. */
  private List<Member> assignableMembers(SegmentOwnership segment) {
    LinkedHashSet<Member> all = new LinkedHashSet<>();
    if (segment.isUnconfirmed()) {
      // Former owners that are back hold everything; a member that began to join does not.
      all.addAll(segment.owners());
      segment.lastOwners().stream().filter(Predicate.not(this::hasReturnedEmpty)).forEach(all::add);
    }
    all.addAll(segment.targetOwners());
    all.addAll(segment.owners());
    segment.joiners().forEach(joiner -> all.add(joiner.member()));
    return all.stream()
        .map(this::incarnationFor)
        .distinct()
        .filter(plannedMembers.eligibleOwners()::contains)
        .limit(replicaCount)
        .toList();
  }

  // ------------------------------------------------------------------ excluded owners that return

  /** Removes excluded owners that are back without their replicas, having left for another grid. */
  private SegmentOwnership withoutReturnedEmpty(SegmentOwnership from) {
    Predicate<Member> isReturnedEmpty = this::hasReturnedEmpty;
    return from.lastOwners().stream().anyMatch(isReturnedEmpty)
        ? from.withoutLastOwners(isReturnedEmpty)
        : from;
  }

  /** Whether a member's node is present, in this or another incarnation, without its replicas. */
  private boolean hasReturnedEmpty(Member member) {
    if (!durable && facts.isDiscarded(member)) {
      return true;
    }
    Member incarnation = incarnationFor(member);
    return presentMembers.contains(incarnation)
        ? facts.hasNoCopies(incarnation)
        : hasReturned(member);
  }

  /**
   * The incarnation that stands for a former holder: the member itself, or a restarted one of its
   * node, which has the replica on disk if the cache is durable.
   */
  private Member incarnationFor(Member member) {
    if (!durable || presentMembers.contains(member)) {
      return member;
    }
    return presentMembers.stream()
        .filter(incarnation -> incarnation.isSameNode(member) && !facts.hasNoCopies(incarnation))
        .findFirst()
        .orElse(member);
  }

  /** The members whose replicas have every acknowledged write, whether they are present or not. */
  private Set<Member> holders(int segment, SegmentOwnership from) {
    LinkedHashSet<Member> holders = new LinkedHashSet<>(from.owners());
    for (Joiner joiner : from.joiners()) {
      if (hasReceived(segment, from, joiner)) {
        holders.add(joiner.member());
      }
    }
    holders.addAll(from.lastOwners());
    // A member that reported that it dropped its replica holds nothing. The others go on without
    // it, or the segment is lost.
    holders.removeIf(member -> facts.hasDropped(cacheIndex, segment, member));
    return holders;
  }

  /**
   * The present holders, each as the incarnation that stands for it. With periodic durability a
   * restarted holder may lack writes that were acknowledged before they were on disk. It counts
   * only if no holder is present that has not restarted, nor a joiner that has yet to report
   * whether it is a holder. Even then only one counts: two might lack different writes.
   */
  private List<Member> inSyncHolders(int segment, SegmentOwnership from, Set<Member> holders) {
    List<Member> there =
        holders.stream()
            .map(this::incarnationFor)
            .distinct()
            .filter(presentMembers::contains)
            .toList();
    if (durability.kind() != Durability.Kind.PERIODIC || holders.containsAll(there)) {
      return there;
    }
    List<Member> same = there.stream().filter(holders::contains).toList();
    if (!same.isEmpty()) {
      return same;
    }
    return isJoinerReportAwaited(segment, from) ? List.of() : there.subList(0, 1);
  }

  // ------------------------------------------------------------------ next ownership of a segment

  private SegmentOwnership planSegment(int segment, SegmentOwnership from, List<Member> target) {
    if (holderPlanner != null) {
      return holderPlanner.plan(segment, from, target);
    }
    Set<Member> holders = holders(segment, from);
    List<Member> inSync = inSyncHolders(segment, from, holders);
    if (inSync.isEmpty()) {
      return planUnowned(segment, from, target, excludedOwners(segment, from, holders));
    }
    List<Member> absentHolders = holders.stream().filter(Predicate.not(this::hasReturned)).toList();
    List<Member> owners = nextOwners(inSync, target);
    List<Member> wanted = target.isEmpty() ? owners : target;
    List<Joiner> joiners = nextJoiners(from, owners, wanted);
    if (!owners.equals(from.owners())
        || !joiners.equals(from.joiners())
        || !wanted.equals(from.targetOwners())) {
      List<Member> writers = new ArrayList<>(owners);
      joiners.forEach(joiner -> writers.add(joiner.member()));
      List<Member> retiring = retiringMembers(from, writers);
      return new SegmentOwnership(
          from.epoch() + 1, from.birthEpoch(), owners, wanted, joiners, retiring, absentHolders);
    }
    return from.isUnconfirmed() && facts.isOpened(cacheIndex, segment, from.epoch())
        ? from.asConfirmed()
        : from;
  }

  /**
   * The excluded owners of a segment without an owner: holders that may bring it back, even if they
   * are present and not asked yet, and former owners that have reported that they dropped it.
   */
  private List<Member> excludedOwners(int segment, SegmentOwnership from, Set<Member> holders) {
    return Stream.concat(
            holders.stream()
                .filter(one -> !hasReturned(one) || presentMembers.contains(incarnationFor(one))),
            Stream.concat(from.owners().stream(), from.lastOwners().stream())
                .filter(member -> facts.hasDropped(cacheIndex, segment, member)))
        .toList();
  }

  private boolean hasReturned(Member member) {
    return presentMembers.stream().anyMatch(member::isSameNode);
  }

  /** The next ownership of a segment of which no holder is known to be present. */
  private SegmentOwnership planUnowned(
      int segment, SegmentOwnership from, List<Member> target, List<Member> lastOwners) {
    if (from.isVacant() && target.isEmpty()) {
      return from;
    }
    boolean isLost =
        from.isLost()
            ? remainsLost(segment, from)
            : current.gridDefinition().isWritten()
                && (!lastOwners.isEmpty() || mayBeHeldByJoiner(segment, from));
    if (!isLost || current.gridDefinition().prefersAvailability()) {
      // The segment begins empty. Nothing was written to it yet; or all holders are back without
      // their replicas; or the loss was accepted; or the grid is an available one, and what absent
      // members hold is merged when they are back.
      return SegmentOwnership.empty(from.epoch() + 1, target, retiringMembers(from, target));
    }
    if (from.isLost()) {
      return from;
    }
    List<Member> joining = from.joiners().stream().map(Joiner::member).toList();
    return SegmentOwnership.ofLost(
        from.epoch() + 1,
        from.birthEpoch(),
        from.joiners(),
        retiringMembers(from, joining),
        lastOwners);
  }

  private boolean hasReceived(int segment, SegmentOwnership from, Joiner joiner) {
    return facts.hasReceived(cacheIndex, segment, from.epoch(), joiner);
  }

  /**
   * Whether a joiner that has not reported may hold everything: one that is present, or one that
   * may come back.
   */
  private boolean mayBeHeldByJoiner(int segment, SegmentOwnership from) {
    return unreportedJoiners(segment, from)
        .anyMatch(member -> presentMembers.contains(member) || !hasReturned(member));
  }

  /** Whether a joiner is present that has yet to report whether it is a holder. */
  private boolean isJoinerReportAwaited(int segment, SegmentOwnership from) {
    return unreportedJoiners(segment, from).anyMatch(presentMembers::contains);
  }

  private Stream<Member> unreportedJoiners(int segment, SegmentOwnership from) {
    return from.joiners().stream()
        .map(Joiner::member)
        .filter(member -> !facts.hasDropped(cacheIndex, segment, member));
  }

  /**
   * The next owners: the target owners, once all of them are in sync. Until then every member in
   * sync is an owner, and the primary stays. The exception is a leaving member without which there
   * are still as many replicas, on as many racks, as the target has.
   */
  private List<Member> nextOwners(List<Member> inSync, List<Member> target) {
    if (!target.isEmpty() && inSync.containsAll(target)) {
      return target;
    }
    List<Member> owners = new ArrayList<>(inSync);
    for (Member member : inSync) {
      List<Member> others = owners.stream().filter(one -> !one.equals(member)).toList();
      if (plannedMembers.leavingMembers().contains(member)
          && !target.isEmpty()
          && !target.contains(member)
          && others.size() >= target.size()
          && rackCount(others) >= rackCount(target)) {
        owners.remove(member);
      }
    }
    return owners;
  }

  private long rackCount(List<Member> some) {
    List<String> named =
        some.stream().map(member -> plannedMembers.capacities().apply(member).rack()).toList();
    long own = named.stream().filter(String::isEmpty).count();
    return own + named.stream().filter(Predicate.not(String::isEmpty)).distinct().count();
  }

  /** The members that may still act in an earlier epoch and have no part in the next one. */
  private List<Member> retiringMembers(SegmentOwnership from, List<Member> writers) {
    LinkedHashSet<Member> retiring = new LinkedHashSet<>(from.retiring());
    retiring.removeIf(member -> facts.adoptedNumber(member) >= current.number());
    retiring.addAll(from.writers());
    retiring.removeIf(member -> !presentMembers.contains(member) || writers.contains(member));
    return List.copyOf(retiring);
  }

  /**
   * The next joiners: target owners that are not owners yet, and, while too few owners are in sync,
   * all present joiners.
   */
  private List<Joiner> nextJoiners(
      SegmentOwnership from, List<Member> owners, List<Member> target) {
    LinkedHashSet<Member> joining = new LinkedHashSet<>(target);
    if (owners.size() < target.size()) {
      from.joiners().stream()
          .map(Joiner::member)
          .filter(presentMembers::contains)
          .forEach(joining::add);
    }
    owners.forEach(joining::remove);
    return joining.stream().map(member -> new Joiner(member, joinEpoch(from, member))).toList();
  }

  private static int joinEpoch(SegmentOwnership from, Member member) {
    return from.joiners().stream()
        .filter(joiner -> joiner.member().equals(member))
        .findFirst()
        .map(Joiner::sinceEpoch)
        .orElse(from.epoch() + 1);
  }
}
