/**
 * The black box: real nodes as processes of this machine, faults drawn from a seed, clients inside
 * the nodes that write down what they saw, and checks of what they wrote. May use the public
 * packages of Cantle and the search of the simulation, nothing inside the engine.
 *
 * <p><b>Threading:</b> the conductor works on the main thread; each node process has a thread that
 * reads what it says. Within a node, clients are threads and orders are obeyed on virtual ones.
 */
@NullMarked
package io.cantle.chaos;

import org.jspecify.annotations.NullMarked;
