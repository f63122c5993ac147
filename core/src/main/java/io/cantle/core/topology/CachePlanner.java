package io.cantle.core.topology;

import io.cantle.CacheMode;
import io.cantle.Durability;
import io.cantle.core.segment.MemberCapacity;
import io.cantle.core.segment.OwnerAssignment;
import io.cantle.core.topology.SegmentOwnership.Joiner;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The pure function from the segments of a cache in one topology to those in the next. Each segment
 * moves alone, and each change of it is an epoch.
 *
 * <p><b>A holder</b> of a segment is a member whose copy has every acknowledged write: an owner, an
 * excluded owner since whose exclusion nobody has served, or a joiner that has received everything,
 * for it takes part in every write from the epoch in which it began to join. The rules below keep
 * holders:
 *
 * <ul>
 *   <li>A joiner becomes an owner in the next epoch once it is a holder, whatever the others do.
 *   <li>An owner that is no longer wanted retires only when all wanted owners are in sync.
 *   <li>While fewer owners are in sync than are wanted, no joiner is sent away: it may be a holder
 *       although nobody has heard of it yet.
 *   <li>A segment is lost, or in an available grid begins empty, only if no holder is present that
 *       is known as one. While it is lost its joiners keep their copies, and each says whether it
 *       is a holder.
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
   * @param leavingMembers those that are handing over what they have
   * @param eligibleOwners those that may own segments of the cache
   * @param capacities of the members there are and those to come
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

  /** How many copies a segment has. */
  private final int copyCount;

  /** Whether a segment that has had no owner may begin. */
  private final boolean mayBegin;

  /**
   * A planner of one cache.
   *
   * @param cacheIndex the place of the cache in the topology
   * @param mayBegin whether a segment that has had no owner may begin
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
    // Where nobody may own anything there are no copies, as anywhere.
    int eligibleCount = Math.max(1, plannedMembers.eligibleOwners().size());
    this.copyCount =
        definition.config().mode() == CacheMode.REPLICATED
            ? eligibleCount
            : Math.min(definition.config().owners(), eligibleCount);
  }

  /** The next segments, or the same object if nothing is to change. */
  CacheOwnership planCache(CacheOwnership before, boolean reassign) {
    List<SegmentOwnership> known =
        before.segments().stream().map(this::withoutReturnedEmpty).toList();
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
    return changed ? new CacheOwnership(before.definition(), segments) : before;
  }

  // ------------------------------------------------------------------ who shall own what

  /** Who shall own each segment, given who holds it. */
  List<List<Member>> assignOwners(List<List<Member>> held) {
    return OwnerAssignment.assign(
        held, plannedMembers.eligibleOwners(), plannedMembers.capacities(), copyCount);
  }

  /** Whether a segment that was lost is to have owners again. */
  private boolean isAnySegmentFound(List<SegmentOwnership> known) {
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

  /** Whether a lost segment stays so unless somebody is there who holds it. */
  private boolean remainsLost(int segment, SegmentOwnership lost) {
    return !facts.isLossAccepted(cacheIndex, segment, lost.epoch())
        && (!lost.lastOwners().isEmpty() || mayBeHeldByJoiner(segment, lost));
  }

  private List<List<Member>> targetOwners(List<SegmentOwnership> known, boolean reassigns) {
    List<List<Member>> held = new ArrayList<>();
    for (SegmentOwnership segment : known) {
      held.add(reassigns ? assignableMembers(segment) : segment.targetOwners());
    }
    if (!reassigns) {
      return held;
    }
    List<List<Member>> assigned = assignOwners(held);
    if (!facts.isRebalanceSuspended()) {
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

  /** Who holds or fetches a segment and may go on: what a new assignment should keep. */
  private List<Member> assignableMembers(SegmentOwnership segment) {
    LinkedHashSet<Member> all = new LinkedHashSet<>();
    if (segment.isUnconfirmed()) {
      // Those that are back hold everything; who began to join does not.
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
        .limit(copyCount)
        .toList();
  }

  // ------------------------------------------------------------------ who is back, with what

  /** Who was excluded and has left for another grid brings nothing, although it is back. */
  private SegmentOwnership withoutReturnedEmpty(SegmentOwnership from) {
    Predicate<Member> isReturnedEmpty = this::hasReturnedEmpty;
    return from.lastOwners().stream().anyMatch(isReturnedEmpty)
        ? from.withoutLastOwners(isReturnedEmpty)
        : from;
  }

  /** Whether a member's node is there, in that life of it or another, and brings nothing. */
  private boolean hasReturnedEmpty(Member member) {
    if (!durable && facts.discarded(member)) {
      return true;
    }
    Member incarnation = incarnationFor(member);
    return presentMembers.contains(incarnation)
        ? facts.hasNoCopies(incarnation)
        : hasReturned(member);
  }

  /**
   * Who stands for a former holder: itself, or the next life of its node, which has its copy on
   * disk if the cache is one that is kept there.
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

  /** Those whose copies have every acknowledged write, be they there or not. */
  private Set<Member> holders(int segment, SegmentOwnership from) {
    LinkedHashSet<Member> holders = new LinkedHashSet<>(from.owners());
    for (Joiner joiner : from.joiners()) {
      if (hasReceived(segment, from, joiner)) {
        holders.add(joiner.member());
      }
    }
    holders.addAll(from.lastOwners());
    // Who said that it has nothing of it: others go on without, or it is lost.
    holders.removeIf(member -> facts.hasDropped(cacheIndex, segment, member));
    return holders;
  }

  /**
   * Those of the holders that are there, or who stands for them. Who is back may lack what was
   * acknowledged before it was on disk. Then it counts only if nobody is there who has never been
   * away, be it a joiner that has yet to say whether it is a holder; and one of them alone: two
   * might lack different things.
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
    return isJoinerAsked(segment, from) ? List.of() : there.subList(0, 1);
  }

  // ------------------------------------------------------------------ what becomes of a segment

  private SegmentOwnership planSegment(int segment, SegmentOwnership from, List<Member> target) {
    Set<Member> holders = holders(segment, from);
    List<Member> inSync = inSyncHolders(segment, from, holders);
    if (inSync.isEmpty()) {
      return planUnowned(segment, from, target, excludedOwners(segment, from, holders));
    }
    List<Member> gone = holders.stream().filter(Predicate.not(this::hasReturned)).toList();
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
          from.epoch() + 1, from.birthEpoch(), owners, wanted, joiners, retiring, gone);
    }
    return from.isUnconfirmed() && facts.isOpened(cacheIndex, segment, from.epoch())
        ? from.asConfirmed()
        : from;
  }

  /**
   * Of a segment without an owner: who may bring it back, be it there already and not asked yet, or
   * has said that it holds it no more.
   */
  private List<Member> excludedOwners(int segment, SegmentOwnership from, Set<Member> holders) {
    List<Member> last = new ArrayList<>();
    for (Member holder : holders) {
      if (!hasReturned(holder) || presentMembers.contains(incarnationFor(holder))) {
        last.add(holder);
      }
    }
    Stream.concat(from.owners().stream(), from.lastOwners().stream())
        .filter(member -> facts.hasDropped(cacheIndex, segment, member))
        .forEach(last::add);
    return last;
  }

  private boolean hasReturned(Member member) {
    return presentMembers.stream().anyMatch(member::isSameNode);
  }

  /** A segment of which no holder is known to be present. */
  private SegmentOwnership planUnowned(
      int segment, SegmentOwnership from, List<Member> target, List<Member> last) {
    if (from.isVacant() && target.isEmpty()) {
      return from;
    }
    boolean isLost =
        from.isLost()
            ? remainsLost(segment, from)
            : current.gridDefinition().isWritten()
                && (!last.isEmpty() || mayBeHeldByJoiner(segment, from));
    if (!isLost || current.gridDefinition().prefersAvailability()) {
      // All are back without what they held; or what those that are gone hold of it is merged when
      // they are back; or there is nothing yet, or it is given up.
      return SegmentOwnership.empty(from.epoch() + 1, target, retiringMembers(from, target));
    }
    if (from.isLost()) {
      return from;
    }
    List<Member> joining = from.joiners().stream().map(Joiner::member).toList();
    return SegmentOwnership.ofLost(
        from.epoch() + 1, from.birthEpoch(), from.joiners(), retiringMembers(from, joining), last);
  }

  private boolean hasReceived(int segment, SegmentOwnership from, Joiner joiner) {
    return facts.hasReceived(cacheIndex, segment, from.epoch(), joiner);
  }

  /**
   * Whether a joiner may hold everything although it was not heard to say so: one that is there, or
   * may come back.
   */
  private boolean mayBeHeldByJoiner(int segment, SegmentOwnership from) {
    return unheardJoiners(segment, from)
        .anyMatch(member -> presentMembers.contains(member) || !hasReturned(member));
  }

  /** Whether a joiner that is there has yet to say whether it is a holder. */
  private boolean isJoinerAsked(int segment, SegmentOwnership from) {
    return unheardJoiners(segment, from).anyMatch(presentMembers::contains);
  }

  private Stream<Member> unheardJoiners(int segment, SegmentOwnership from) {
    return from.joiners().stream()
        .map(Joiner::member)
        .filter(member -> !facts.hasDropped(cacheIndex, segment, member));
  }

  /**
   * The next owners: those that shall be, once all of them are in sync. Until then nobody goes but
   * one that leaves and is not needed for as many copies, on as many racks, as there shall be; and
   * the primary stays.
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

  /** Who may still believe in an earlier epoch and has no part in the next. */
  private List<Member> retiringMembers(SegmentOwnership from, List<Member> writers) {
    LinkedHashSet<Member> retiring = new LinkedHashSet<>(from.retiring());
    retiring.removeIf(member -> facts.adoptedNumber(member) >= current.number());
    retiring.addAll(from.writers());
    retiring.removeIf(member -> !presentMembers.contains(member) || writers.contains(member));
    return List.copyOf(retiring);
  }

  /** Who joins: who shall own and does not, and others that do while too few are in sync. */
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
    for (Joiner joiner : from.joiners()) {
      if (joiner.member().equals(member)) {
        return joiner.sinceEpoch();
      }
    }
    return from.epoch() + 1;
  }
}
