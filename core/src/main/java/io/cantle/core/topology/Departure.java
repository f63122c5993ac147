package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * When a node that wants to leave may go: once nothing depends on it, which the others have to know
 * as well, because nobody could tell them later.
 *
 * <p><b>Threading:</b> {@link #wanted} and {@link #done} by any thread; everything else guarded by
 * the lock of the keeper.
 */
final class Departure {
  private final Requests requests;
  private final Lease lease;
  private final Register register;
  private final Leader leader;
  private final Lives lives;
  private final Set<Member> letGo = new TreeSet<>();
  private volatile boolean wanted;
  private volatile boolean done;
  private boolean excluded;

  /** Whether this process was ever a member of its grid; an earlier life of its node was. */
  private boolean admitted;

  Departure(Requests requests, Lease lease, Register register, Leader leader, Lives lives) {
    this.requests = requests;
    this.lease = lease;
    this.register = register;
    this.leader = leader;
    this.lives = lives;
  }

  /** This node wants to leave. */
  void want() {
    wanted = true;
  }

  /** Whether this node wants to leave. */
  boolean wanted() {
    return wanted;
  }

  /** Whether it may go. */
  boolean done() {
    return done;
  }

  /** This node owns nothing any more, and everybody was told: it will never answer again. */
  void adopted(Topology topology) {
    admitted |= topology.members().contains(requests.self());
    if (wanted
        && topology.leaving().contains(requests.self())
        && !topology.needs(requests.self())) {
      lease.giveUp();
    }
  }

  /**
   * Looks whether it may go now; returns whether that is news. When all leave there is nobody to
   * hand over to, and who has given its grid up holds nothing. Whoever leads waits until the others
   * know: a message may be lost, and there would be nobody to tell them again.
   *
   * @param alone whether nobody of the grid was there for so long that nobody is waited for who may
   *     have left without a word
   */
  boolean look(Topology current, List<Member> view, boolean alone) {
    if (!wanted || done) {
      return false;
    }
    if (!current.founded() || (requests.self().durable() && !admitted)) {
      // It holds nothing, or nothing others count on: what it has on disk stays there.
      done = true;
      return true;
    }
    boolean allLeave = current.leaving().containsAll(current.members());
    if (current.members().contains(requests.self())) {
      done = allLeave && (!register.leading() || allKnow(current, view)) && nobodyWaits(view);
    } else {
      done =
          (!current.needs(requests.self()) && mostKnow(current))
              || (allLeave && (excluded || alone))
              || (alone && excluded && othersHoldAll(current));
    }
    return done;
  }

  /**
   * Whether what this node held when it was excluded is held by members too. They went on without
   * its vote, and need not be told that it leaves.
   */
  private boolean othersHoldAll(Topology current) {
    return current.caches().stream()
        .flatMap(cache -> cache.segments().stream())
        .noneMatch(segment -> segment.lost() && segment.last().contains(requests.self()));
  }

  /** Remembers who is let go by a topology that comes after another; of another grid nobody. */
  void letGo(Topology before, Topology after) {
    excluded =
        !after.members().contains(requests.self())
            && (before.members().contains(requests.self())
                ? !before.leaving().contains(requests.self())
                : excluded);
    if (!before.gridId().equals(after.gridId())) {
      letGo.clear();
      return;
    }
    letGo.addAll(before.leaving());
    letGo.removeAll(after.members());
    letGo.remove(requests.self());
  }

  /** Tells those who decide next that this node is gone, until they say that they know. */
  void sayFarewell(Topology current) {
    if (wanted && !done && current.founded() && !current.members().contains(requests.self())) {
      current.membership().voters().stream()
          .filter(voter -> leader.adoptedBy(voter) < current.number())
          .flatMap(voter -> lives.of(voter).stream())
          .forEach(voter -> register.tell(voter, current));
    }
  }

  /** Whether all that were let go have gone: until then they may need to be told, by whoever is. */
  private boolean nobodyWaits(List<Member> view) {
    letGo.retainAll(view);
    return letGo.isEmpty();
  }

  private boolean allKnow(Topology current, List<Member> view) {
    return current.members().stream().allMatch(member -> knows(member, current, view));
  }

  /**
   * Whether those who decide next know the topology without this node: nobody else may tell them,
   * and without it or the vote of this node they could not decide anything.
   */
  private boolean mostKnow(Topology current) {
    return current.membership().majority(voter -> leader.adoptedBy(voter) >= current.number());
  }

  private boolean knows(Member member, Topology current, List<Member> view) {
    return member.equals(requests.self())
        || !view.contains(member)
        || leader.adoptedBy(member) >= current.number();
  }
}
