package io.cantle.core.ownership;

import io.cantle.core.ownership.SegmentOwnership.Holder;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The pure function from one segment of a scattered cache to the next. Such a segment has one
 * owner, the primary, and <em>holders</em>: members each of which may hold the second copy of any
 * entry. So everything is held by the primary, and once more by the holders together.
 *
 * <ul>
 *   <li>If the primary goes, another member collects what all holders have. Until it has opened the
 *       epoch, the former primary is a last owner: it, or all holders together, are needed.
 *   <li>If a holder goes, it is <em>draining</em>: the primary gives its entries to other holders.
 *       Until it has opened the epoch, the segment is lost with its primary.
 *   <li>A new primary is draining itself: what it held for the former one needs another holder.
 *   <li>Members become holders, and the primary moves, only while nothing is draining.
 *   <li>A newcomer becomes a holder once it has said that it knows of its admission. Before, it may
 *       be dead already, and the segment would be lost with its primary for want of a holder that
 *       never held anything.
 * </ul>
 *
 * <p><b>Threading:</b> immutable; pure functions.
 */
@SuppressWarnings("ReferenceEquality") // "Nothing changed" is the same object.
final class HolderPlanner {
  private final Topology current;
  private final TopologyPlanner.PlannerFacts facts;
  private final List<Member> presentMembers;
  private final List<Member> eligibleOwners;
  private final int cacheIndex;

  HolderPlanner(
      Topology current,
      TopologyPlanner.PlannerFacts facts,
      CachePlanner.PlannedMembers plannedMembers,
      int cacheIndex) {
    this.current = current;
    this.facts = facts;
    this.presentMembers = plannedMembers.presentMembers();
    this.eligibleOwners = plannedMembers.eligibleOwners();
    this.cacheIndex = cacheIndex;
  }

  /** A segment that is empty from this epoch on. */
  SegmentOwnership begin(int epoch, List<Member> owners, List<Member> retiring) {
    List<Holder> holders = new ArrayList<>();
    if (!owners.isEmpty()) {
      addHolders(holders, owners.getFirst(), epoch);
      markIfAlone(holders, owners.getFirst(), epoch);
    }
    return new SegmentOwnership(
        epoch, epoch, owners, owners, List.of(), retiring, List.of(), holders);
  }

  /** The next ownership of a segment; the same object if nothing changes. */
  SegmentOwnership plan(int segment, SegmentOwnership before, List<Member> target) {
    SegmentOwnership from =
        before.isOpeningAwaited() && facts.isOpened(cacheIndex, segment, before.epoch())
            ? before.asOpened()
            : before;
    if (from.isVacant()) {
      return target.isEmpty() ? from : begin(from.epoch() + 1, target, retiring(from, List.of()));
    }
    if (from.isUnowned()) {
      return succeed(segment, from, from.lastOwners(), target);
    }
    Member primary = from.primary();
    if (!from.isUnconfirmed()) {
      return isPresent(primary)
          ? stay(from, target)
          : succeed(segment, from, List.of(primary), target);
    }
    return isPresent(primary) && hasSource(from, from.lastOwners())
        ? stay(from, target)
        : succeed(segment, from, from.lastOwners(), target);
  }

  // ------------------------------------------------------------------ what is held where

  /** Whether a member is present with what it holds. */
  private boolean isPresent(Member member) {
    return presentMembers.contains(member) && !facts.hasNoCopies(member);
  }

  /** Whether what a member held is certainly gone. */
  private boolean isGone(Member member) {
    return facts.isDiscarded(member)
        || (presentMembers.contains(member)
            ? facts.hasNoCopies(member)
            : presentMembers.stream().anyMatch(member::isSameNode));
  }

  private boolean hasSource(SegmentOwnership from, List<Member> complete) {
    return complete.stream().anyMatch(this::isPresent)
        || from.partialHolders(complete).stream().allMatch(this::isPresent);
  }

  // ------------------------------------------------------------------ the same primary

  private SegmentOwnership stay(SegmentOwnership from, List<Member> target) {
    Member primary = from.primary();
    int next = from.epoch() + 1;
    boolean isWhole = !from.isUnconfirmed() && !from.isDraining();
    List<Holder> holders = remainingHolders(from, from.lastOwners(), primary);
    if ((isWhole && holders.equals(from.holders())) || !hasAssignable(holders, primary)) {
      addHolders(holders, primary, next);
    }
    if (!from.isUnconfirmed()) {
      markIfAlone(holders, primary, next);
    }
    List<Member> wanted = target.isEmpty() ? from.owners() : target;
    if (!holders.equals(from.holders())) {
      return inNextEpoch(from, primary, wanted, from.lastOwners(), holders);
    }
    if (isWhole && isPresent(wanted.getFirst()) && !wanted.equals(from.owners())) {
      return takeOver(from, wanted.getFirst(), List.of(primary), wanted);
    }
    return wanted.equals(from.targetOwners()) ? from : from.withTargetOwners(wanted);
  }

  /** The holders that remain. One that is gone or that is to hold nothing is draining. */
  private List<Holder> remainingHolders(
      SegmentOwnership from, List<Member> complete, Member primary) {
    List<Holder> remaining = new ArrayList<>();
    for (Holder holder : from.holders()) {
      Member member = holder.member();
      boolean mayHold = isPresent(member) && eligibleOwners.contains(member);
      if (holder.isDraining() || mayHold || member.equals(primary)) {
        remaining.add(holder);
      } else if (!complete.contains(member)) {
        remaining.add(holder.asDraining());
      }
    }
    return remaining;
  }

  private static boolean hasAssignable(List<Holder> holders, Member primary) {
    return holders.stream().anyMatch(one -> !one.isDraining() && !one.member().equals(primary));
  }

  private void addHolders(List<Holder> holders, Member primary, int epoch) {
    for (Member member : eligibleOwners) {
      if (!member.equals(primary)
          && facts.hasConfirmedAdmission(current, member)
          && holders.stream().noneMatch(one -> one.member().equals(member))) {
        holders.add(new Holder(member, epoch, false));
      }
    }
  }

  /** Notes that the primary holds what nobody else does. */
  private static void markIfAlone(List<Holder> holders, Member primary, int epoch) {
    if (!hasAssignable(holders, primary)
        && holders.stream().noneMatch(one -> one.member().equals(primary))) {
      holders.add(new Holder(primary, epoch, true));
    }
  }

  // ------------------------------------------------------------------ another primary

  /**
   * The next ownership of a segment whose primary is not there.
   *
   * @param complete the members that hold everything by themselves
   */
  private SegmentOwnership succeed(
      int segment, SegmentOwnership from, List<Member> complete, List<Member> target) {
    Optional<Member> returned = complete.stream().filter(this::isPresent).findFirst();
    if (returned.isPresent()) {
      return takeOver(from, returned.get(), complete, target);
    }
    Optional<Member> successor =
        Stream.concat(target.stream(), eligibleOwners.stream()).filter(this::isPresent).findFirst();
    if (successor.isPresent() && from.partialHolders(complete).stream().allMatch(this::isPresent)) {
      return takeOver(from, successor.get(), complete, target);
    }
    return planUnowned(segment, from, complete, target);
  }

  private SegmentOwnership takeOver(
      SegmentOwnership from, Member primary, List<Member> complete, List<Member> target) {
    List<Holder> holders = new ArrayList<>();
    for (Holder holder : remainingHolders(from, complete, primary)) {
      if (!holder.member().equals(primary)) {
        holders.add(holder);
      } else if (holder.isDraining() || !complete.contains(primary)) {
        holders.add(holder.asDraining());
      }
    }
    int next = from.epoch() + 1;
    for (Member former : complete) {
      boolean isHolder = holders.stream().anyMatch(one -> one.member().equals(former));
      if (!former.equals(primary)
          && isPresent(former)
          && eligibleOwners.contains(former)
          && !isHolder) {
        holders.add(new Holder(former, next, false));
      }
    }
    if (!hasAssignable(holders, primary)) {
      addHolders(holders, primary, next);
    }
    return inNextEpoch(
        from, primary, target.isEmpty() ? List.of(primary) : target, complete, holders);
  }

  private SegmentOwnership planUnowned(
      int segment, SegmentOwnership from, List<Member> complete, List<Member> target) {
    boolean isGone =
        complete.stream().allMatch(this::isGone)
            && from.partialHolders(complete).stream().anyMatch(this::isGone);
    boolean isAccepted = from.isLost() && facts.isLossAccepted(cacheIndex, segment, from.epoch());
    if (isGone || isAccepted || !current.gridDefinition().isWritten()) {
      List<Member> owners = target.isEmpty() ? eligibleOwners.stream().limit(1).toList() : target;
      return begin(from.epoch() + 1, owners, retiring(from, List.of()));
    }
    if (from.isLost()) {
      return from;
    }
    return new SegmentOwnership(
        from.epoch() + 1,
        from.birthEpoch(),
        List.of(),
        List.of(),
        List.of(),
        retiring(from, from.holders()),
        complete,
        from.holders());
  }

  private SegmentOwnership inNextEpoch(
      SegmentOwnership from,
      Member primary,
      List<Member> wanted,
      List<Member> complete,
      List<Holder> holders) {
    List<Member> retiring = new ArrayList<>(retiring(from, holders));
    retiring.remove(primary);
    return new SegmentOwnership(
        from.epoch() + 1,
        from.birthEpoch(),
        List.of(primary),
        wanted,
        List.of(),
        retiring,
        complete,
        holders);
  }

  /** The members that may still act in an earlier epoch, and hold nothing in the next one. */
  private List<Member> retiring(SegmentOwnership from, List<Holder> holders) {
    LinkedHashSet<Member> retiring = new LinkedHashSet<>(from.retiring());
    retiring.removeIf(member -> facts.adoptedNumber(member) >= current.number());
    retiring.addAll(from.owners());
    from.holders().forEach(one -> retiring.add(one.member()));
    retiring.removeIf(Predicate.not(presentMembers::contains));
    holders.forEach(one -> retiring.remove(one.member()));
    return List.copyOf(retiring);
  }
}
