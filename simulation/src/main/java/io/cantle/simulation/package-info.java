/**
 * A simulation of a whole cluster in one thread from a seed. It runs the real core on a simulated
 * network, clock, thread scheduler and membership, with joins, leaves and crashes, and checks what
 * its clients saw. It imports {@code core}, and no other part of the product imports it.
 *
 * <p>Begin with {@link io.cantle.simulation.SeedRun}. From bottom to top: {@link
 * io.cantle.simulation.SimulationScheduler} runs the virtual threads of every {@link
 * io.cantle.simulation.SimulatedHost} one at a time, in an order the seed chooses. {@link
 * io.cantle.simulation.SimulatedNetwork} carries their messages. A {@link
 * io.cantle.simulation.SeedScenario} says what a seed does, and {@link
 * io.cantle.simulation.SeedRun} does it to {@link io.cantle.simulation.NodeUnderTest}s. {@link
 * io.cantle.simulation.LinearizabilityChecker} and {@link io.cantle.simulation.DeliveryChecker}
 * judge the results.
 *
 * <p><b>Threading:</b> everything of one seed is touched by one platform thread only, its carrier,
 * directly or through a virtual thread mounted on it. Nothing here is locked or volatile. {@link
 * io.cantle.simulation.Simulation} runs seeds side by side, and they share nothing.
 */
package io.cantle.simulation;
