/**
 * Who owns each segment now and next. {@link io.cantle.core.topology.Topology} is the one shared
 * state, {@link io.cantle.core.topology.Evolution} the pure function from one to the next, and
 * {@link io.cantle.core.topology.TopologyKeeper} what makes all nodes of a grid go through the same
 * ones.
 *
 * <p><b>Threading:</b> the first two are immutable or pure; the keeper is guarded by its own lock
 * and never waits.
 */
package io.cantle.core.topology;
