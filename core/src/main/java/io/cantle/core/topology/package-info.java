/**
 * Who owns each segment now and next. {@link io.cantle.core.topology.Topology} is the one shared
 * state, {@code Evolution} the pure function from one to the next, {@code Register} what makes all
 * nodes of a grid go through the same ones, {@link io.cantle.core.topology.Lease} and {@code
 * Grants} what keeps a node that was left out from answering.
 *
 * <p><b>Threading:</b> topologies are immutable; everything else is guarded by the lock of {@link
 * io.cantle.core.topology.TopologyDriver}, which never waits. That lock is taken before those of
 * openings, transfers and replicas.
 */
package io.cantle.core.topology;
