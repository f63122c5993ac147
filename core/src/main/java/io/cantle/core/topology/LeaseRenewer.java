package io.cantle.core.topology;

import io.cantle.core.base.ClockReading;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How leases are renewed: each member asks every voter, and tells with it how far it is; a voter
 * that hears it grants, and tells whom it does not hear. Who answers whom is also what shows which
 * of the voters is to lead.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class LeaseRenewer {
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
   * Asks some, the voters as a rule, for this node's lease; tells how far this node is. A voter
   * that has started again, and is to be admitted in this life yet, only tells.
   */
  void requestLease(Topology current, List<Member> voters) {
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
    for (Member voter : voters) {
      for (Member life : incarnations.addressesOf(voter)) {
        if (!life.equals(messaging.self())) {
          Output out = messaging.newMessage(MessageKind.RENEW_LEASE);
          request.write(out);
          messaging.post(life, out);
        }
      }
    }
    leaderState.recordAdopted(messaging.self(), number);
    leaderState.recordStanding(messaging.self(), lease.isValid(), register.isLeading());
    leaderState.recordUndecided(messaging.self(), register.hasPending() ? current.number() : 0);
  }

  /**
   * Somebody asks: who has not heard of the present topology is told. Returns whether it is a
   * member that is further than was known.
   */
  boolean recordProgress(Topology current, Member from, LeaseRequest request) {
    if (request.topologyNumber() < current.number()) {
      register.sendTopology(from, current);
    }
    return current.members().contains(from)
        && leaderState.recordAdopted(from, request.topologyNumber());
  }

  /** Grants what a member asks for, as far as this voter may. */
  void answerRequest(Topology current, Member from, LeaseRequest request) {
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
    // Who does not know yet that it was excluded and admitted again may hold what is outdated.
    if (isMember
        && request.votersSinceNumber() == membership.votersSinceNumber()
        && request.topologyNumber() >= membership.admissionNumber(from)
        && !register.isBarred(from)
        && !register.replacesVoters()) {
      LeaseTable.Grant before = leaseTable.grant(from, request.requestedAt());
      Output out = messaging.newMessage(MessageKind.LEASE_RENEWED);
      request.requestedAt().write(out);
      out.writeLong(request.votersSinceNumber());
      // How much time has passed here since the request before: the member compares its own.
      out.writeBoolean(before != null);
      if (before != null) {
        before.requestedAt().write(out);
        out.writeLong(leaseTable.ageNanos(before));
      }
      leaderState.writeSilent(out, current);
      messaging.post(from, out);
    }
  }

  /** A voter has granted. */
  void onGranted(Member from, Input in) {
    ClockReading asked = ClockReading.read(in);
    long votersSince = in.readLong();
    if (in.readBoolean()) {
      compareClocks(from, ClockReading.read(in), in.readLong());
    }
    boolean selfGrants = !register.replacesVoters() && !register.isBarred(messaging.self());
    lease.onGranted(from, messaging.self(), asked, votersSince, selfGrants);
    leaderState.readSilent(from, in);
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
   * Whether it is for this voter to take the lead: who was obeyed is silent or has no lease itself,
   * and so have all voters before this one.
   */
  boolean shouldLead(Topology current) {
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
   * Whether it is for this voter to take the lead although it has started again and is no member in
   * this life: nobody else leads or could, for nobody has a lease, and all voters before this one
   * are silent.
   */
  boolean shouldLeadAfterRestart(Topology current) {
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
