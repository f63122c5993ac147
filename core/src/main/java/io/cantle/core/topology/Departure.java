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
  private final Set<Member> letGo = new TreeSet<>();
  private volatile boolean wanted;
  private volatile boolean done;

  Departure(Requests requests, Lease lease, Register register, Leader leader) {
    this.requests = requests;
    this.lease = lease;
    this.register = register;
    this.leader = leader;
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
   */
  boolean look(Topology current, List<Member> view) {
    if (!wanted || done) {
      return false;
    }
    if (!current.founded()) {
      done = true;
      return true;
    }
    boolean isMember = current.members().contains(requests.self());
    if (isMember
        ? current.leaving().containsAll(current.members())
        : !current.needs(requests.self())) {
      done = othersKnow(isMember, current, view);
    }
    return done;
  }

  private boolean othersKnow(boolean isMember, Topology current, List<Member> view) {
    return isMember
        ? (!register.leading() || allKnow(current, view)) && nobodyWaits(view)
        : mostKnow(current);
  }

  /** Remembers who is let go by a topology that comes after another; of another grid nobody. */
  void letGo(Topology before, Topology after) {
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
