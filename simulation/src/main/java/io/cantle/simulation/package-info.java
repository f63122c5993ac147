/**
 * A whole cluster in one thread from a seed: the real core on a simulated network, clock, thread
 * scheduler and membership, with joins, leaves and crashes, and checkers of what its clients saw.
 *
 * <p>From bottom to top: {@link io.cantle.simulation.SimulationScheduler} runs the virtual threads
 * of every {@link io.cantle.simulation.SimulatedHost} one at a time in an order the seed chooses;
 * {@link io.cantle.simulation.SimulatedNetwork} carries their messages; a {@link
 * io.cantle.simulation.SeedScenario} says what a seed does, {@link io.cantle.simulation.SeedRun}
 * does it to {@link io.cantle.simulation.NodeUnderTest}s; {@link
 * io.cantle.simulation.LinearizabilityChecker} and {@link io.cantle.simulation.DeliveryChecker}
 * judge.
 *
 * <p><b>Threading:</b> everything of one seed is touched by one platform thread only, its carrier,
 * directly or through a virtual thread mounted on it; nothing here is locked or volatile. {@link
 * io.cantle.simulation.Simulation} runs seeds side by side, and they share nothing.
 */
package io.cantle.simulation;
