package io.cantle.core.discovery;

import io.cantle.core.agreement.Agreement;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides when a node that wants to leave may go. It may go once nothing depends on it and the
 * others know that too, because no other node could tell them later.
 *
 * <p><b>Threading:</b> {@link #requested} and {@link #done} by any thread; everything else guarded
 * by the lock of {@code TopologyDriver}.
 */
public final class GracefulLeave {
  private final Member self;
  private final Agreement agreement;

  private final Set<Member> releasedMembers = new TreeSet<>();

  /**
   * The other members that have said that they want to leave, whether a topology shows it or not.
   */
  private final Set<Member> leavingMembers = new TreeSet<>();

  private volatile boolean requested;
  private volatile boolean done;
  private boolean excluded;

  /** Whether this process was ever a member of its grid, and not only an earlier incarnation. */
  private boolean admitted;

  /** Creates the part of a node that does not want to leave yet. */
  public GracefulLeave(Member self, Agreement agreement) {
    this.self = self;
    this.agreement = agreement;
  }

  /** Records that this node wants to leave. */
  public void request() {
    requested = true;
  }

  /**
   * Records that another node wants to leave, which it says to all voters. The leader may be gone
   * before it has that decided.
   */
  public void onLeaveRequested(Member from) {
    leavingMembers.add(from);
  }

  /** Whether this node wants to leave. */
  public boolean isRequested() {
    return requested;
  }

  /** Whether it may go. */
  public boolean isDone() {
    return done;
  }

  /**
   * Takes an adopted topology. Returns whether this node is to release its lease: it leaves, owns
   * nothing any more and all others were told so, and will not answer again as a member.
   */
  public boolean onTopologyAdopted(Topology topology) {
    admitted |= topology.members().contains(self);
    return requested && topology.leaving().contains(self) && !topology.needs(self);
  }

  /**
   * Checks whether this node may go now; returns whether that is news. If all members leave, there
   * is no member to hand over to. A node that has given its grid up holds nothing. The leader waits
   * until the others know: a message may be lost, and no other node would repeat it.
   *
   * @param isAlone whether no other node of the grid has been in view for so long that this node
   *     waits for none of them, since they may have left without a message
   */
  public boolean checkDone(Topology current, List<Member> view, boolean isAlone) {
    if (!requested || done) {
      return false;
    }
    if (!current.isFounded() || (self.hasStore() && !admitted)) {
      // It holds nothing, or nothing the others count on. What it has on disk stays there.
      done = true;
      return true;
    }
    boolean allLeave = current.leaving().containsAll(current.members());
    if (current.members().contains(self)) {
      done =
          (allLeave
                  && (!agreement.register().isLeading() || everyoneKnows(current, view))
                  && areReleasedGone(view))
              || (isAlone && othersLeave(current));
    } else {
      done =
          (!current.needs(self) && majorityKnows(current))
              || (allLeave && (excluded || isAlone))
              || (isAlone && excluded && othersHoldAll(current));
    }
    return done;
  }

  /**
   * Whether all other members have said that they want to leave. Some may have gone as they may,
   * once they knew that all leave. If the leader crashes then, there is no majority to tell this
   * node the same.
   */
  private boolean othersLeave(Topology current) {
    return !current.gridDefinition().prefersAvailability()
        && current.members().stream()
            .allMatch(
                member ->
                    member.equals(self)
                        || leavingMembers.contains(member)
                        || current.leaving().contains(member));
  }

  /**
   * Whether members hold everything this node held when it was excluded. They went on without its
   * vote, and need not be told that it leaves.
   */
  private boolean othersHoldAll(Topology current) {
    return current
        .segments()
        .noneMatch(
            segment ->
                segment.isLost()
                    && (segment.lastOwners().contains(self) || segment.findHolder(self) != null));
  }

  /**
   * Remembers the members that a topology lets go after the one before, or excludes while they
   * leave. A change of the grid forgets them.
   */
  public void recordReleased(Topology before, Topology after) {
    excluded =
        !after.members().contains(self)
            && (before.members().contains(self) ? !after.membership().isReleased(self) : excluded);
    if (!before.gridId().equals(after.gridId())) {
      releasedMembers.clear();
      leavingMembers.clear();
      return;
    }
    leavingMembers.retainAll(after.members());
    releasedMembers.addAll(before.leaving());
    before.members().stream().filter(after.membership()::isReleased).forEach(releasedMembers::add);
    releasedMembers.removeAll(after.members());
    releasedMembers.remove(self);
  }

  /** Takes back that this node may go: it is in another grid now, or in none. */
  public void onGridLeft() {
    done = false;
  }

  /** The voters that are to be told that this node is gone, until they say that they know. */
  public List<Member> uninformedVoters(Topology current) {
    boolean isGone = requested && !done && current.isFounded() && !current.members().contains(self);
    return agreement
        .incarnations()
        .addressesOf(
            current.membership().voters().stream()
                .filter(voter -> isGone && !knows(voter, current))
                .toList());
  }

  /**
   * Whether all members that were let go are out of view. Until then they may need to be told so,
   * and only the nodes that remain can do that.
   */
  private boolean areReleasedGone(List<Member> view) {
    releasedMembers.retainAll(view);
    return releasedMembers.isEmpty();
  }

  private boolean everyoneKnows(Topology current, List<Member> view) {
    return current.members().stream()
        .allMatch(one -> one.equals(self) || !view.contains(one) || knows(one, current));
  }

  /**
   * Whether a majority of the voters know the topology without this node. Perhaps no other node can
   * tell them, and without that topology or this node's vote they could decide nothing.
   */
  private boolean majorityKnows(Topology current) {
    return current.membership().isMajority(voter -> knows(voter, current));
  }

  private boolean knows(Member member, Topology current) {
    return agreement.leaderState().lastAdoptedNumber(member) >= current.number();
  }
}
