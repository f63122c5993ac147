package io.cantle.core.agreement;

import io.cantle.core.base.Environment;
import io.cantle.core.base.StableStore;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;

/**
 * The parts by which a node takes part in agreement, as a member, as a voter and as the leader.
 *
 * <p><b>Threading:</b> immutable; the parts say who may use them.
 *
 * @param journal what this node has promised and accepted, on disk
 * @param incarnations which process speaks for a voter
 * @param lease this node's right to answer
 * @param leaseTable the leases that this node grants as a voter
 * @param register what the voters decide
 * @param leaderState what members have reported, for the leader to plan from
 */
public record Agreement(
    AgreementJournal journal,
    IncarnationTable incarnations,
    Lease lease,
    LeaseTable leaseTable,
    TopologyRegister register,
    LeaderState leaderState) {

  /**
   * Creates the parts.
   *
   * @throws IllegalStateException if the record of an earlier incarnation cannot be read
   */
  public static Agreement create(
      MessagingService messaging, Environment environment, Object lock, StableStore stableStore) {
    AgreementJournal journal = new AgreementJournal(stableStore, environment, lock);
    IncarnationTable incarnations = new IncarnationTable(messaging.self());
    Lease lease = new Lease(environment.clock());
    LeaseTable leaseTable = new LeaseTable();
    TopologyRegister register = new TopologyRegister(messaging.self(), leaseTable, incarnations);
    LeaderState leaderState = new LeaderState(leaseTable, messaging.self(), incarnations);
    return new Agreement(journal, incarnations, lease, leaseTable, register, leaderState);
  }

  /**
   * Takes an adopted topology. The round of the register ends later, when the replicas follow it.
   */
  public void onTopologyAdopted(Topology topology, Member self, long now) {
    incarnations.onTopologyAdopted(topology.membership());
    lease.onTopologyAdopted(topology.membership(), self);
    leaseTable.onTopologyAdopted(topology.membership(), now);
    leaderState.onTopologyAdopted(topology, now);
  }

  /**
   * Forgets what leases, votes and reports said about a grid that this node leaves. It keeps what
   * it has promised, for it may be admitted again. The round of the register ends later.
   */
  public void reset(Member self, long now) {
    lease.onTopologyAdopted(Membership.NONE, self);
    leaseTable.onTopologyAdopted(Membership.NONE, now);
    register.resign();
    leaderState.reset(Topology.NONE, now);
  }

  /**
   * Records that a voter was heard that is yet to be admitted in its present incarnation. Any
   * message of it will do.
   */
  public void onVoterHeard(Topology current, Member from, long now) {
    if (from.hasStore() && current.membership().isVoter(from)) {
      incarnations.recordHeard(from);
      if (!current.members().contains(from)) {
        leaseTable.recordHeard(from, now);
        leaderState.recordReturn(from);
      }
    }
  }
}
