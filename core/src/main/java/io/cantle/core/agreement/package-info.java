/**
 * Has all nodes of a grid go through the same topologies, and keeps an excluded node from
 * answering. {@link io.cantle.core.agreement.TopologyRegister} decides the next topology by Paxos,
 * and {@link io.cantle.core.agreement.AgreementJournal} records what this node has promised. {@link
 * io.cantle.core.agreement.Lease} is a member's right to answer, {@link
 * io.cantle.core.agreement.LeaseTable} the voter's half of it. {@link
 * io.cantle.core.agreement.LeaderState} is what members have reported, from which the leader plans.
 * This package may import {@code ownership} and the packages below it. Begin reading with {@link
 * io.cantle.core.agreement.TopologyRegister}, then {@link io.cantle.core.agreement.Lease}.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}, which never waits, except
 * where a type says otherwise.
 */
package io.cantle.core.agreement;
