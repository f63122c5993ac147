package io.cantle.core.ownership;

import io.cantle.core.transport.Member;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

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
 */
public record SegmentOwnership(
    int epoch,
    int birthEpoch,
    List<Member> owners,
    List<Member> targetOwners,
    List<Joiner> joiners,
    List<Member> retiring,
    List<Member> lastOwners) {

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
    return new SegmentOwnership(epoch, birthEpoch, owners, targetOwners, joiners, retiring, others);
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
        excluded);
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
    return joiners.isEmpty() && owners.equals(targetOwners);
  }

  /** The members that take part in every write: owners and joiners. */
  public List<Member> writers() {
    return joiners.isEmpty()
        ? owners
        : Stream.concat(owners.stream(), joiners.stream().map(Joiner::member)).toList();
  }
}
