/**
 * Drives this node from one topology to the next. {@link io.cantle.core.topology.TopologyDriver}
 * passes messages, views and timers to the rooms below: {@code ownership} plans topologies, {@code
 * agreement} decides them, {@code discovery} brings nodes into a grid, and {@code partition} lets
 * cut-off members go on. {@code TopologyTransition} has this node adopt what was decided. This
 * package may import {@code discovery} and the packages below it, but not {@code replica} or
 * anything above. Begin reading with {@link io.cantle.core.topology.TopologyDriver}.
 *
 * <p><b>Threading:</b> guarded by the lock of {@link io.cantle.core.topology.TopologyDriver}, which
 * never waits. That lock is taken before those of epoch recovery, transfers and replicas.
 */
package io.cantle.core.topology;
