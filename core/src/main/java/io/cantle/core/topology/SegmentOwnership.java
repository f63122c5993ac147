package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Who holds one segment. Every change of it has a new epoch.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param epoch counts the changes, from 1
 * @param birthEpoch the epoch in which the segment began empty: what a copy holds from before is
 *     worthless
 * @param owners those that hold every acknowledged write, the primary first; none when the segment
 *     is lost, or when it is empty and there is nobody to own it
 * @param targetOwners who shall be owners, in that order
 * @param joiners those that are to be owners, or were when the segment was lost: they take part in
 *     every write and fetch what was written before. Some are not of the target: they are kept
 *     while too few owners are in sync
 * @param retiring former owners and joiners that may not know yet: they must be told before anybody
 *     serves in this epoch
 * @param lastOwners excluded owners that hold every acknowledged write as well, because none was
 *     acknowledged since: should one of them return, it is an owner again. Nobody serves the
 *     segment before a topology says that there are none
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
   * @param member who
   * @param sinceEpoch the epoch in which it began; what it holds from before is worthless
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

  /** An empty segment, from this epoch on. */
  static SegmentOwnership empty(int epoch, List<Member> owners, List<Member> retiring) {
    return new SegmentOwnership(epoch, epoch, owners, owners, List.of(), retiring, List.of());
  }

  /** A segment nobody present is known to hold. */
  static SegmentOwnership ofLost(
      int epoch, int born, List<Joiner> joiners, List<Member> retiring, List<Member> last) {
    return new SegmentOwnership(epoch, born, List.of(), List.of(), joiners, retiring, last);
  }

  /** The same once its primary has opened it: from now on excluded owners miss what is written. */
  SegmentOwnership asConfirmed() {
    return new SegmentOwnership(
        epoch, birthEpoch, owners, targetOwners, joiners, retiring, List.of());
  }

  /** The same without some of the excluded owners: they have their copies no more. */
  SegmentOwnership withoutLastOwners(Predicate<Member> isRemoved) {
    List<Member> others = lastOwners.stream().filter(Predicate.not(isRemoved)).toList();
    return new SegmentOwnership(epoch, birthEpoch, owners, targetOwners, joiners, retiring, others);
  }

  /** Whether its primary, once it has opened it, has to have that confirmed before it serves. */
  public boolean isUnconfirmed() {
    return !lastOwners.isEmpty();
  }

  /** Whether nobody is there who owns the segment: it is lost, or vacant. */
  public boolean isUnowned() {
    return owners.isEmpty();
  }

  /** Whether nobody is known to be there who holds what was written to the segment. */
  public boolean isLost() {
    return isUnowned() && !isVacant();
  }

  /** Whether the segment is empty because nobody has been there who could own it. */
  public boolean isVacant() {
    return isUnowned() && lastOwners.isEmpty() && joiners.isEmpty();
  }

  /** The owner that orders the writes; there is one unless nobody owns the segment. */
  public Member primary() {
    return owners.getFirst();
  }

  /** Whether the owners are those wanted and nothing moves. */
  public boolean isSteady() {
    return joiners.isEmpty() && owners.equals(targetOwners);
  }

  /** Everybody who takes part in a write: owners and joiners. */
  public List<Member> writers() {
    return joiners.isEmpty()
        ? owners
        : Stream.concat(owners.stream(), joiners.stream().map(Joiner::member)).toList();
  }
}
