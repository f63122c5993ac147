package io.cantle.core.ownership;

import io.cantle.core.transport.Member;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The members that hold one segment, and in which roles. Every change of it begins a new epoch.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param epoch counts the changes, from 1
 * @param birthEpoch the epoch in which the segment began empty: what a replica holds from earlier
 *     epochs is worthless
 * @param owners the members that hold every acknowledged write, the primary first; none when the
 *     segment is lost, or when it is empty and there is no member to own it
 * @param targetOwners the members that are to be the owners, in that order
 * @param joiners the members that are to become owners, or were when the segment was lost. They
 *     take part in every write and fetch what was written before. Some may not be in the target;
 *     they are kept while too few owners are in sync
 * @param retiring former owners and joiners that may not know yet that they are; they must be told
 *     before any member serves in this epoch
 * @param lastOwners excluded owners that hold every acknowledged write as well, because none was
 *     acknowledged since. One that returns becomes an owner again. No member serves the segment
 *     before a topology says that there are no last owners
 * @param holders of a scattered cache: the members that hold the second copies of entries; they are
 *     no owners. Empty for other caches
 */
public record SegmentOwnership(
    int epoch,
    int birthEpoch,
    List<Member> owners,
    List<Member> targetOwners,
    List<Joiner> joiners,
    List<Member> retiring,
    List<Member> lastOwners,
    List<Holder> holders) {

  /**
   * A member that holds second copies of some entries of a scattered cache.
   *
   * @param member the member
   * @param sinceEpoch the epoch in which it began to hold copies; what it holds from earlier epochs
   *     is worthless
   * @param isDraining whether its entries are to get another second copy: it is gone, it leaves, or
   *     it is the primary itself, which other members are to back up
   */
  public record Holder(Member member, int sinceEpoch, boolean isDraining) {
    /** The same holder, whose entries are to get another second copy. */
    Holder asDraining() {
      return new Holder(member, sinceEpoch, true);
    }
  }

  /**
   * A member on its way to become an owner.
   *
   * @param member the member
   * @param sinceEpoch the epoch in which it began to join; what it holds from earlier epochs is
   *     worthless
   */
  public record Joiner(Member member, int sinceEpoch) {}

  /** Copies the lists. */
  public SegmentOwnership {
    owners = List.copyOf(owners);
    targetOwners = List.copyOf(targetOwners);
    joiners = List.copyOf(joiners);
    retiring = List.copyOf(retiring);
    lastOwners = List.copyOf(lastOwners);
    holders = List.copyOf(holders);
  }

  /** A segment whose owners hold all copies. */
  public SegmentOwnership(
      int epoch,
      int birthEpoch,
      List<Member> owners,
      List<Member> targetOwners,
      List<Joiner> joiners,
      List<Member> retiring,
      List<Member> lastOwners) {
    this(epoch, birthEpoch, owners, targetOwners, joiners, retiring, lastOwners, List.<Holder>of());
  }

  /** Returns a segment that is empty from this epoch on. */
  public static SegmentOwnership empty(int epoch, List<Member> owners, List<Member> retiring) {
    return new SegmentOwnership(epoch, epoch, owners, owners, List.of(), retiring, List.of());
  }

  /** Returns a segment that no present member is known to hold. */
  static SegmentOwnership ofLost(
      int epoch, int born, List<Joiner> joiners, List<Member> retiring, List<Member> last) {
    return new SegmentOwnership(epoch, born, List.of(), List.of(), joiners, retiring, last);
  }

  /**
   * Returns the same once the primary has opened the epoch; from now on, excluded owners miss
   * writes.
   */
  SegmentOwnership asConfirmed() {
    return withoutLastOwners(excluded -> true);
  }

  /** Returns the same without some of the excluded owners, which no longer have their replicas. */
  SegmentOwnership withoutLastOwners(Predicate<Member> isRemoved) {
    List<Member> others = lastOwners.stream().filter(Predicate.not(isRemoved)).toList();
    return new SegmentOwnership(
        epoch, birthEpoch, owners, targetOwners, joiners, retiring, others, holders);
  }

  /** Returns the same with other targets, to which nothing moves yet. */
  SegmentOwnership withTargetOwners(List<Member> targets) {
    return new SegmentOwnership(
        epoch, birthEpoch, owners, targets, joiners, retiring, lastOwners, holders);
  }

  /**
   * Returns the same once the primary of a scattered segment has opened the epoch: every entry has
   * a second copy at a holder that is not draining, if there is one.
   */
  SegmentOwnership asOpened() {
    List<Holder> remaining =
        holders.stream().filter(one -> !one.isDraining && !one.member.equals(primary())).toList();
    return new SegmentOwnership(
        epoch,
        birthEpoch,
        owners,
        targetOwners,
        joiners,
        retiring,
        List.of(),
        remaining.isEmpty() ? List.of(new Holder(primary(), epoch, true)) : remaining);
  }

  /** Returns the same in a later epoch, with other excluded owners. */
  SegmentOwnership withEpoch(int later, List<Member> excluded) {
    return new SegmentOwnership(
        later,
        birthEpoch == epoch ? later : birthEpoch,
        owners,
        targetOwners,
        joiners.stream()
            .map(one -> one.sinceEpoch == epoch ? new Joiner(one.member, later) : one)
            .toList(),
        retiring,
        excluded,
        holders.stream()
            .map(
                one ->
                    new Holder(
                        one.member,
                        one.sinceEpoch == epoch ? later : one.sinceEpoch,
                        one.isDraining))
            .toList());
  }

  /**
   * Whether the primary, once it has opened the epoch, must have that confirmed before it serves.
   */
  public boolean isUnconfirmed() {
    return !lastOwners.isEmpty();
  }

  /** Whether no member owns the segment: it is lost, or vacant. */
  public boolean isUnowned() {
    return owners.isEmpty();
  }

  /** Whether no present member is known to hold what was written to the segment. */
  public boolean isLost() {
    return isUnowned() && !isVacant();
  }

  /** Whether the segment is empty because there has been no member that could own it. */
  public boolean isVacant() {
    return isUnowned() && lastOwners.isEmpty() && joiners.isEmpty();
  }

  /** The owner that orders the writes. There is one unless the segment {@link #isUnowned}. */
  public Member primary() {
    return owners.getFirst();
  }

  /** Whether the owners are the target owners and nothing is moving. */
  public boolean isSteady() {
    return joiners.isEmpty()
        && owners.equals(targetOwners)
        && (holders.isEmpty() || (!isUnconfirmed() && !isDraining()) || isHeldAlone());
  }

  /** The entry of a member among the holders; null if it is none. */
  public @Nullable Holder findHolder(Member member) {
    for (Holder holder : holders) {
      if (holder.member.equals(member)) {
        return holder;
      }
    }
    return null;
  }

  /** Whether a member holds second copies since an earlier epoch. */
  public boolean isHeldBefore(Member member) {
    Holder holder = findHolder(member);
    return holder != null && holder.sinceEpoch < epoch;
  }

  /**
   * The holders that together hold everything, without those that hold everything by themselves
   * while the epoch is not confirmed. A primary that nobody backs up is among them.
   */
  public List<Member> partialHolders() {
    return partialHolders(lastOwners);
  }

  /** The holders that hold everything together, without members that do so by themselves. */
  List<Member> partialHolders(List<Member> complete) {
    return holders.stream()
        .filter(one -> one.isDraining || !complete.contains(one.member))
        .map(Holder::member)
        .toList();
  }

  /** Whether the entries of some holder are to get another second copy. */
  boolean isDraining() {
    return holders.stream().anyMatch(Holder::isDraining);
  }

  /** Whether no other member holds second copies of what the primary holds. */
  private boolean isHeldAlone() {
    return !isUnconfirmed()
        && !owners.isEmpty()
        && holders.stream().allMatch(one -> one.isDraining && one.member.equals(primary()));
  }

  /**
   * Whether the primary is to report that the epoch is opened: it holds everything, and as far as
   * there are other holders, every entry has a second copy at one that is not draining.
   */
  public boolean isOpeningAwaited() {
    return !isUnowned() && (isUnconfirmed() || (isDraining() && !isHeldAlone()));
  }

  /**
   * Whether the segment is not lost if a member is excluded now. The holders of a scattered segment
   * can replace its primary only if each entry has a second copy at one of them.
   */
  public boolean isServedWithout(Member member) {
    if (holders.isEmpty()) {
      return !owners.equals(List.of(member));
    }
    return isUnconfirmed()
        ? !owners.contains(member) && findHolder(member) == null
        : !isDraining() || !owners.contains(member);
  }

  /** The members that may be given second copies. */
  public List<Member> assignableHolders() {
    return holders.stream()
        .filter(one -> !one.isDraining && !owners.contains(one.member))
        .map(Holder::member)
        .toList();
  }

  /** The members that take part in every write: owners and joiners. */
  public List<Member> writers() {
    return joiners.isEmpty()
        ? owners
        : Stream.concat(owners.stream(), joiners.stream().map(Joiner::member)).toList();
  }
}
