package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
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
final class GracefulLeave {
  private final MessagingService messaging;
  private final Lease lease;
  private final TopologyRegister register;
  private final LeaderState leaderState;
  private final IncarnationTable incarnations;
  private final Set<Member> releasedMembers = new TreeSet<>();
  private volatile boolean wanted;
  private volatile boolean done;
  private boolean excluded;

  /** Whether this process was ever a member of its grid; an earlier life of its node was. */
  private boolean admitted;

  GracefulLeave(
      MessagingService messaging,
      Lease lease,
      TopologyRegister register,
      LeaderState leaderState,
      IncarnationTable incarnations) {
    this.messaging = messaging;
    this.lease = lease;
    this.register = register;
    this.leaderState = leaderState;
    this.incarnations = incarnations;
  }

  /** This node wants to leave. */
  void request() {
    wanted = true;
  }

  /** Whether this node wants to leave. */
  boolean isRequested() {
    return wanted;
  }

  /** Whether it may go. */
  boolean isDone() {
    return done;
  }

  /** This node owns nothing any more, and everybody was told: it will never answer again. */
  void onTopologyAdopted(Topology topology) {
    admitted |= topology.members().contains(messaging.self());
    if (wanted
        && topology.leaving().contains(messaging.self())
        && !topology.needs(messaging.self())) {
      lease.release();
    }
  }

  /**
   * Looks whether it may go now; returns whether that is news. When all leave there is nobody to
   * hand over to, and who has given its grid up holds nothing. Whoever leads waits until the others
   * know: a message may be lost, and there would be nobody to tell them again.
   *
   * @param isAlone whether nobody of the grid was there for so long that nobody is waited for who
   *     may have left without a word
   */
  boolean checkDone(Topology current, List<Member> view, boolean isAlone) {
    if (!wanted || done) {
      return false;
    }
    if (!current.isFounded() || (messaging.self().hasStore() && !admitted)) {
      // It holds nothing, or nothing others count on: what it has on disk stays there.
      done = true;
      return true;
    }
    boolean allLeave = current.leaving().containsAll(current.members());
    if (current.members().contains(messaging.self())) {
      done =
          allLeave
              && (!register.isLeading() || everyoneKnows(current, view))
              && areReleasedGone(view);
    } else {
      done =
          (!current.needs(messaging.self()) && majorityKnows(current))
              || (allLeave && (excluded || isAlone))
              || (isAlone && excluded && othersHoldAll(current));
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
        .noneMatch(segment -> segment.isLost() && segment.lastOwners().contains(messaging.self()));
  }

  /** Remembers who is let go by a topology that comes after another; of another grid nobody. */
  void recordReleased(Topology before, Topology after) {
    excluded =
        !after.members().contains(messaging.self())
            && (before.members().contains(messaging.self())
                ? !before.leaving().contains(messaging.self())
                : excluded);
    if (!before.gridId().equals(after.gridId())) {
      releasedMembers.clear();
      return;
    }
    releasedMembers.addAll(before.leaving());
    releasedMembers.removeAll(after.members());
    releasedMembers.remove(messaging.self());
  }

  /** Tells those who decide next that this node is gone, until they say that they know. */
  void notifyVoters(Topology current) {
    if (wanted && !done && current.isFounded() && !current.members().contains(messaging.self())) {
      current.membership().voters().stream()
          .filter(voter -> leaderState.lastAdoptedNumber(voter) < current.number())
          .flatMap(voter -> incarnations.addressesOf(voter).stream())
          .forEach(voter -> register.sendTopology(voter, current));
    }
  }

  /** Whether all that were let go have gone: until then they may need to be told, by whoever is. */
  private boolean areReleasedGone(List<Member> view) {
    releasedMembers.retainAll(view);
    return releasedMembers.isEmpty();
  }

  private boolean everyoneKnows(Topology current, List<Member> view) {
    return current.members().stream().allMatch(member -> knows(member, current, view));
  }

  /**
   * Whether those who decide next know the topology without this node: nobody else may tell them,
   * and without it or the vote of this node they could not decide anything.
   */
  private boolean majorityKnows(Topology current) {
    return current
        .membership()
        .isMajority(voter -> leaderState.lastAdoptedNumber(voter) >= current.number());
  }

  private boolean knows(Member member, Topology current, List<Member> view) {
    return member.equals(messaging.self())
        || !view.contains(member)
        || leaderState.lastAdoptedNumber(member) >= current.number();
  }
}
