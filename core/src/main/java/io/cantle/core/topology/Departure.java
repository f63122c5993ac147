package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * When a node that wants to leave may go: once nothing depends on it, which the others have to know
 * as well, because nobody could tell them later.
 *
 * <p><b>Threading:</b> {@link #wanted} and {@link #done} by any thread; everything else guarded by
 * the lock of the keeper.
 */
final class Departure {
  /** Who leaves, holds nothing and has heard of nobody for so long goes without word. */
  private static final long FORSAKEN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Requests requests;
  private final Grants grants;
  private final Lease lease;
  private final Register register;
  private final Leader leader;
  private volatile boolean wanted;
  private volatile boolean done;

  Departure(Requests requests, Grants grants, Lease lease, Register register, Leader leader) {
    this.requests = requests;
    this.grants = grants;
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
   * hand over to. Whoever leads waits until the others know: a message may be lost, and there would
   * be nobody to tell them again.
   */
  boolean look(Topology current, List<Member> view) {
    if (!wanted || done) {
      return false;
    }
    boolean isMember = current.members().contains(requests.self());
    if (isMember && lease.over() && nobodyIsThere(current, view)) {
      done = true;
    } else if (isMember
        ? current.leaving().containsAll(current.members())
        : !current.needs(requests.self())) {
      done = isMember ? !register.leading() || allKnow(current, view) : mostKnow(current, view);
    }
    return done;
  }

  /** Whether this node, which holds nothing any more, has nobody to tell it that it may go. */
  private boolean nobodyIsThere(Topology current, List<Member> view) {
    return current.members().stream()
        .allMatch(
            member ->
                member.equals(requests.self())
                    || (!view.contains(member) && grants.silence(member) >= FORSAKEN_NANOS));
  }

  private boolean allKnow(Topology current, List<Member> view) {
    return current.members().stream().allMatch(member -> knows(member, current, view));
  }

  /**
   * Whether those who decide next know the topology without this node: nobody else may tell them.
   */
  private boolean mostKnow(Topology current, List<Member> view) {
    Membership membership = current.membership();
    long count = membership.voters().stream().filter(voter -> knows(voter, current, view)).count();
    return membership.majority((int) count) || grants.sinceAdopted() >= Grants.EXCLUDE_NANOS;
  }

  private boolean knows(Member member, Topology current, List<Member> view) {
    return member.equals(requests.self())
        || !view.contains(member)
        || leader.adoptedBy(member) >= current.number();
  }
}
