/**
 * What only grids need whose members go on when they are cut off. {@link
 * io.cantle.core.partition.ForkCoordinator} has such members found a fork, and {@link
 * io.cantle.core.partition.ForkPrecedence} says which of two grids gives way when they meet. A
 * {@link io.cantle.core.partition.LosingReplica} is what a node held on the side that gave way, and
 * {@link io.cantle.core.partition.MergeBacklog} holds what is still to be merged. The writes that
 * merge it are in {@code operation}. This package may import {@code ownership} and the packages
 * below it, and sends nothing. Consistent grids do not need it: {@code ForkTransition}, {@code
 * ForkDiscovery} and {@code ReplicaDivergence} are where it meets what they need.
 *
 * <p><b>Threading:</b> each type says who may use it.
 */
package io.cantle.core.partition;
