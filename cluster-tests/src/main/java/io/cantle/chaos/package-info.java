/**
 * The black box: real nodes as processes of this machine, faults drawn from a seed, clients inside
 * the nodes that record what they saw, and checks of those records. It may import the public
 * packages of Cantle and the search of the simulation, but nothing inside the engine. Begin with
 * {@link io.cantle.chaos.ChaosRun}.
 *
 * <p><b>Threading:</b> the conductor works on the main thread. Each node process has a thread that
 * reads its output. Within a node, clients are threads, and orders are executed on virtual ones.
 */
@NullMarked
package io.cantle.chaos;

import org.jspecify.annotations.NullMarked;
