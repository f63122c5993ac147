package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import java.util.List;
import java.util.stream.Stream;

/**
 * Who holds one segment. Every change of it has a new epoch.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param epoch counts the changes, from 1
 * @param owners those that hold every acknowledged write, the primary first; none when the segment
 *     is lost
 * @param target who shall be owners, in that order
 * @param joiners those of the target that are not owners yet: they take part in every write and
 *     fetch what was written before
 * @param retiring former owners and joiners that may not know yet: they must be told before anybody
 *     serves in this epoch
 */
public record Ownership(
    int epoch,
    List<Member> owners,
    List<Member> target,
    List<Joiner> joiners,
    List<Member> retiring) {

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
  }

  /** Whether nobody is left who holds the segment. */
  public boolean lost() {
    return owners.isEmpty();
  }

  /** The owner that orders the writes; there is one unless the segment is lost. */
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
