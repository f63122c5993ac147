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
 * @param born the epoch in which the segment began empty: what a copy holds from before is
 *     worthless
 * @param owners those that hold every acknowledged write, the primary first; none when the segment
 *     is lost, or when it is empty and there is nobody to own it
 * @param target who shall be owners, in that order
 * @param joiners those that are to be owners, or were when the segment was lost: they take part in
 *     every write and fetch what was written before. Some are not of the target: they are kept
 *     while too few owners are in sync
 * @param retiring former owners and joiners that may not know yet: they must be told before anybody
 *     serves in this epoch
 * @param last excluded owners that hold every acknowledged write as well, because none was
 *     acknowledged since: should one of them return, it is an owner again. Nobody serves the
 *     segment before a topology says that there are none
 */
public record Ownership(
    int epoch,
    int born,
    List<Member> owners,
    List<Member> target,
    List<Joiner> joiners,
    List<Member> retiring,
    List<Member> last) {

  /**
   * A member on its way to become an owner.
   *
   * @param member who
   * @param since the epoch in which it began; what it holds from before is worthless
   */
  public record Joiner(Member member, int since) {}

  /** Copies the lists. */
  public Ownership {
    owners = List.copyOf(owners);
    target = List.copyOf(target);
    joiners = List.copyOf(joiners);
    retiring = List.copyOf(retiring);
    last = List.copyOf(last);
  }

  /** An empty segment, from this epoch on. */
  static Ownership empty(int epoch, List<Member> owners, List<Member> retiring) {
    return new Ownership(epoch, epoch, owners, owners, List.of(), retiring, List.of());
  }

  /** A segment nobody present is known to hold. */
  static Ownership lost(
      int epoch, int born, List<Joiner> joiners, List<Member> retiring, List<Member> last) {
    return new Ownership(epoch, born, List.of(), List.of(), joiners, retiring, last);
  }

  /** The same once its primary has opened it: from now on excluded owners miss what is written. */
  Ownership confirmed() {
    return new Ownership(epoch, born, owners, target, joiners, retiring, List.of());
  }

  /** The same without some of the excluded owners: they have their copies no more. */
  Ownership without(Predicate<Member> which) {
    List<Member> others = last.stream().filter(Predicate.not(which)).toList();
    return new Ownership(epoch, born, owners, target, joiners, retiring, others);
  }

  /** Whether its primary, once it has opened it, has to have that confirmed before it serves. */
  public boolean unconfirmed() {
    return !last.isEmpty();
  }

  /** Whether nobody is there who owns the segment: it is lost, or vacant. */
  public boolean unowned() {
    return owners.isEmpty();
  }

  /** Whether nobody is known to be there who holds what was written to the segment. */
  public boolean lost() {
    return unowned() && !vacant();
  }

  /** Whether the segment is empty because nobody has been there who could own it. */
  public boolean vacant() {
    return unowned() && last.isEmpty() && joiners.isEmpty();
  }

  /** The owner that orders the writes; there is one unless nobody owns the segment. */
  public Member primary() {
    return owners.getFirst();
  }

  /** Whether the owners are those wanted and nothing moves. */
  public boolean steady() {
    return joiners.isEmpty() && owners.equals(target);
  }

  /** Everybody who takes part in a write: owners and joiners. */
  public List<Member> writers() {
    return joiners.isEmpty()
        ? owners
        : Stream.concat(owners.stream(), joiners.stream().map(Joiner::member)).toList();
  }
}
