package io.cantle.core.agreement;

import io.cantle.core.agreement.LeaseMessage.LeaseGrant;
import io.cantle.core.agreement.LeaseMessage.LeaseRequest;
import io.cantle.core.agreement.LeaseMessage.PreviousRequest;
import io.cantle.core.base.ClockReading;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Renews leases. Each member sends its request to every voter, and states in it how far it is. A
 * voter that receives it grants the lease, and states which members it does not hear. These
 * exchanges also show which of the voters is to lead. It sends nothing: each method returns what is
 * to be done.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public final class LeaseRenewer {
  private final Member self;
  private final Lease lease;
  private final LeaseTable leaseTable;
  private final TopologyRegister register;
  private final LeaderState leaderState;
  private final IncarnationTable incarnations;
  private final AgreementJournal journal;

  /** Creates the exchange of a node. */
  public LeaseRenewer(Member self, Agreement agreement) {
    this.self = self;
    this.lease = agreement.lease();
    this.leaseTable = agreement.leaseTable();
    this.register = agreement.register();
    this.leaderState = agreement.leaderState();
    this.incarnations = agreement.incarnations();
    this.journal = agreement.journal();
  }

  /**
   * Asks nodes, usually the voters, for this node's lease, and tells them how far this node is. A
   * restarted voter that is yet to be admitted in this incarnation only tells.
   */
  public List<AgreementEffect> requestLease(
      Topology current, List<Member> voters, ClockReading now) {
    Membership membership = current.membership();
    if (!membership.members().contains(self) && !membership.isVoter(self)) {
      return List.of();
    }
    long number = journal.announceableNumber(current);
    leaseTable.recordHeard(self, now.monotonicNanos());
    LeaseRequest request =
        new LeaseRequest(
            now,
            number,
            membership.votersSinceNumber(),
            lease.isValid(),
            register.isLeading(),
            lease.isReleased(),
            register.hasPending());
    leaderState.recordAdopted(self, number);
    leaderState.recordStanding(self, lease.isValid(), register.isLeading(), now.monotonicNanos());
    leaderState.recordUndecided(self, register.hasPending() ? current.number() : 0);
    List<Member> others =
        incarnations.addressesOf(voters).stream().filter(voter -> !voter.equals(self)).toList();
    return List.of(new AgreementEffect.Send(others, request));
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
  public List<AgreementEffect> answerRequest(
      Topology current, Member from, LeaseRequest request, long now) {
    Membership membership = current.membership();
    boolean isMember = membership.members().contains(from);
    if (!(isMember || membership.isVoter(from)) || !membership.isVoter(self)) {
      return List.of();
    }
    leaseTable.recordHeard(from, now);
    leaderState.recordStanding(from, request.isLeased(), request.isLeading(), now);
    leaderState.recordUndecided(from, request.hasPending() ? request.topologyNumber() : 0);
    long admission = membership.admissionNumber(from);
    // A member that does not know yet that it was excluded and admitted again may hold outdated
    // data, and what it has released is the lease of its former membership.
    if (!isMember || request.topologyNumber() < admission) {
      return List.of();
    }
    if (request.isReleased()) {
      leaseTable.recordRelease(from, admission);
    }
    if (request.votersSinceNumber() != membership.votersSinceNumber()
        || register.isBarred(from)
        || register.replacesVoters()) {
      return List.of();
    }
    LeaseTable.Grant before = leaseTable.grant(from, request.requestedAt(), now);
    LeaseGrant grant =
        new LeaseGrant(
            request.requestedAt(),
            request.votersSinceNumber(),
            before == null
                ? null
                : new PreviousRequest(before.requestedAt(), now - before.grantedNanos()),
            leaderState.silentMembers(current, now));
    return List.of(new AgreementEffect.Send(List.of(from), grant));
  }

  /** Handles a voter's grant, and compares the clocks of both. */
  public List<AgreementEffect> onGranted(Member from, LeaseGrant grant) {
    PreviousRequest previous = grant.previous();
    long missedNanos =
        previous == null ? 0 : lease.compareClocks(previous.requestedAt(), previous.ageNanos());
    boolean selfGrants = !register.replacesVoters() && !register.isBarred(self);
    lease.onGranted(from, self, grant.requestedAt(), grant.votersSinceNumber(), selfGrants);
    leaderState.recordSilentMembers(from, grant.silentMembers());
    return missedNanos > 0
        ? List.of(new AgreementEffect.ReportMissedTime(from, missedNanos))
        : List.of();
  }

  /**
   * Whether this voter is to take the lead. The voter obeyed so far is silent, has no lease or no
   * longer leads, and all voters before this one are silent or have no lease.
   */
  public boolean shouldLead(Topology current, long now) {
    return isFirst(current, voter -> isHeard(voter, now) && leaderState.isLeased(voter))
        && otherVoters(current)
            .noneMatch(
                voter ->
                    voter.id().equals(register.promisedProposer())
                        && isHeard(voter, now)
                        && leaderState.isLeased(voter)
                        && leaderState.isLeader(voter));
  }

  /**
   * Whether this voter is to take the lead although it has restarted and is no member in this
   * incarnation. It is if no voter leads or could lead, because none has a lease, and all voters
   * before this one are silent.
   */
  public boolean shouldLeadAfterRestart(Topology current, long now) {
    return isFirst(current, voter -> isHeard(voter, now))
        && otherVoters(current)
            .noneMatch(
                voter ->
                    isHeard(voter, now)
                        && (leaderState.isLeased(voter) || leaderState.isLeader(voter)));
  }

  /** Whether this node is a voter, and no voter before it fulfils the condition. */
  private boolean isFirst(Topology current, Predicate<Member> condition) {
    return voters(current)
        .filter(voter -> voter.equals(self) || condition.test(voter))
        .findFirst()
        .filter(self::equals)
        .isPresent();
  }

  private Stream<Member> otherVoters(Topology current) {
    return voters(current).filter(voter -> !voter.equals(self));
  }

  private Stream<Member> voters(Topology current) {
    return current.membership().voters().stream().map(incarnations::latestOf);
  }

  private boolean isHeard(Member voter, long now) {
    return leaseTable.silenceNanos(voter, now) < LeaseTable.EXCLUSION_WAIT_NANOS;
  }
}
