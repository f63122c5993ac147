package io.cantle.core.agreement;

import io.cantle.core.base.ClockReading;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Renews leases. Each member sends its request to every voter, and states in it how far it is. A
 * voter that receives it grants the lease, and states which members it does not hear. These
 * exchanges also show which of the voters is to lead.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public final class LeaseRenewer {
  private static final System.Logger LOG = System.getLogger(LeaseRenewer.class.getName());

  private final MessagingService messaging;
  private final Environment environment;
  private final Lease lease;
  private final LeaseTable leaseTable;
  private final TopologyRegister register;
  private final LeaderState leaderState;
  private final IncarnationTable incarnations;
  private final AgreementJournal journal;

  LeaseRenewer(
      MessagingService messaging,
      Environment environment,
      Lease lease,
      LeaseTable leaseTable,
      TopologyRegister register,
      LeaderState leaderState,
      IncarnationTable incarnations,
      AgreementJournal journal) {
    this.messaging = messaging;
    this.environment = environment;
    this.lease = lease;
    this.leaseTable = leaseTable;
    this.register = register;
    this.leaderState = leaderState;
    this.incarnations = incarnations;
    this.journal = journal;
  }

  /**
   * Asks nodes, usually the voters, for this node's lease, and tells them how far this node is. A
   * restarted voter that is yet to be admitted in this incarnation only tells.
   */
  public void requestLease(Topology current, List<Member> voters) {
    Membership membership = current.membership();
    if (!membership.members().contains(messaging.self()) && !membership.isVoter(messaging.self())) {
      return;
    }
    long number = journal.announceableNumber(current);
    leaseTable.recordHeard(messaging.self());
    LeaseRequest request =
        new LeaseRequest(
            environment.clock().reading(),
            number,
            membership.votersSinceNumber(),
            lease.isValid(),
            register.isLeading(),
            lease.isReleased(),
            register.hasPending());
    for (Member address : incarnations.addressesOf(voters)) {
      if (!address.equals(messaging.self())) {
        Output out = messaging.newMessage(address, MessageKind.RENEW_LEASE);
        request.write(out);
        messaging.post(address, out);
      }
    }
    leaderState.recordAdopted(messaging.self(), number);
    leaderState.recordStanding(messaging.self(), lease.isValid(), register.isLeading());
    leaderState.recordUndecided(messaging.self(), register.hasPending() ? current.number() : 0);
  }

  /**
   * Records how far a member is that asks for its lease. Returns whether it is further than was
   * known.
   */
  public boolean recordProgress(Topology current, Member from, LeaseRequest request) {
    return current.members().contains(from)
        && leaderState.recordAdopted(from, request.topologyNumber());
  }

  /** Grants what a member asks for, as far as this voter may. */
  public void answerRequest(Topology current, Member from, LeaseRequest request) {
    Membership membership = current.membership();
    boolean isMember = membership.members().contains(from);
    if (!(isMember || membership.isVoter(from)) || !membership.isVoter(messaging.self())) {
      return;
    }
    leaseTable.recordHeard(from);
    leaderState.recordStanding(from, request.isLeased(), request.isLeading());
    leaderState.recordUndecided(from, request.hasPending() ? request.topologyNumber() : 0);
    if (request.isReleased()) {
      leaseTable.recordRelease(from);
    }
    // A member that does not know yet that it was excluded and admitted again may hold outdated
    // data.
    if (isMember
        && request.votersSinceNumber() == membership.votersSinceNumber()
        && request.topologyNumber() >= membership.admissionNumber(from)
        && !register.isBarred(from)
        && !register.replacesVoters()) {
      LeaseTable.Grant before = leaseTable.grant(from, request.requestedAt());
      Output out = messaging.newMessage(from, MessageKind.LEASE_RENEWED);
      request.requestedAt().write(out);
      out.writeLong(request.votersSinceNumber());
      // The time that has passed here since the previous request: the member compares its own
      // clocks.
      out.writeBoolean(before != null);
      if (before != null) {
        before.requestedAt().write(out);
        out.writeLong(leaseTable.ageNanos(before));
      }
      leaderState.writeSilentMembers(out, current);
      messaging.post(from, out);
    }
  }

  /** Handles a voter's grant. */
  public void onGranted(Member from, Input in) {
    ClockReading asked = ClockReading.read(in);
    long votersSince = in.readLong();
    if (in.readBoolean()) {
      compareClocks(from, ClockReading.read(in), in.readLong());
    }
    boolean selfGrants = !register.replacesVoters() && !register.isBarred(messaging.self());
    lease.onGranted(from, messaging.self(), asked, votersSince, selfGrants);
    leaderState.readSilentMembers(from, in);
  }

  private void compareClocks(Member voter, ClockReading asked, long votersNanos) {
    long missing = lease.compareClocks(asked, votersNanos);
    if (missing > 0) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} has missed {1} ms that passed at {2}: its clocks stood still or are far too slow;"
              + " it answers nothing until its lease is renewed",
          messaging.self(),
          TimeUnit.NANOSECONDS.toMillis(missing),
          voter);
    }
  }

  /**
   * Whether this voter is to take the lead. The voter obeyed so far is silent, has no lease or no
   * longer leads, and all voters before this one are silent or have no lease.
   */
  public boolean shouldLead(Topology current) {
    List<Member> voters =
        current.membership().voters().stream().map(incarnations::latestOf).toList();
    for (Member voter : voters) {
      if (voter.id().equals(register.promisedProposer())
          && !voter.equals(messaging.self())
          && isHeardAndLeased(voter)
          && leaderState.isLeader(voter)) {
        return false;
      }
    }
    for (Member voter : voters) {
      if (voter.equals(messaging.self())) {
        return true;
      }
      if (isHeardAndLeased(voter)) {
        return false;
      }
    }
    return false;
  }

  /**
   * Whether this voter is to take the lead although it has restarted and is no member in this
   * incarnation. It is if no voter leads or could lead, because none has a lease, and all voters
   * before this one are silent.
   */
  public boolean shouldLeadAfterRestart(Topology current) {
    List<Member> voters =
        current.membership().voters().stream().map(incarnations::latestOf).toList();
    if (voters.stream()
        .anyMatch(
            voter ->
                !voter.equals(messaging.self())
                    && isHeard(voter)
                    && (leaderState.isLeased(voter) || leaderState.isLeader(voter)))) {
      return false;
    }
    return messaging
        .self()
        .equals(
            voters.stream()
                .filter(voter -> voter.equals(messaging.self()) || isHeard(voter))
                .findFirst()
                .orElse(null));
  }

  private boolean isHeardAndLeased(Member voter) {
    return isHeard(voter) && leaderState.isLeased(voter);
  }

  private boolean isHeard(Member voter) {
    return leaseTable.silenceNanos(voter) < LeaseTable.EXCLUSION_WAIT_NANOS;
  }
}
