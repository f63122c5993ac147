/**
 * Decides which node owns each segment, now and next, and has all nodes of a grid agree on it.
 * {@link io.cantle.core.ownership.Topology} is the one shared state, and {@link
 * io.cantle.core.ownership.TopologyPlanner} is the pure function from one topology to the next.
 * {@code TopologyRegister} has all nodes go through the same topologies. {@link
 * io.cantle.core.agreement.Lease} and {@code LeaseTable} keep an excluded node from answering. This
 * package may import {@code transport} and the packages below it, but not {@code replica} or
 * anything above. Begin reading with {@link io.cantle.core.ownership.Topology}, then {@link
 * io.cantle.core.ownership.TopologyPlanner} and {@link io.cantle.core.topology.TopologyDriver}.
 *
 * <p><b>Threading:</b> topologies are immutable; everything else is guarded by the lock of {@link
 * io.cantle.core.topology.TopologyDriver}, which never waits. That lock is taken before those of
 * epoch recovery, transfers and replicas.
 */
package io.cantle.core.topology;


