/**
 * Bugs planted in the core, to show that the simulation finds what it claims to find. Production
 * code has no switches for them. A bug is a text of the core's sources and another that replaces
 * it. The patched source is compiled into a temporary folder. A child process then runs the
 * ordinary simulation with that folder first on its class path.
 *
 * <p>{@link io.cantle.simulation.planted.PlantedBugCatalog} is the list; {@link
 * io.cantle.simulation.planted.BugCampaign} hunts all of them; begin with {@link
 * io.cantle.simulation.planted.PlantedBugCommand}, which reads the command line.
 *
 * <p><b>Threading:</b> one thread hunts one bug; several hunt side by side.
 */
package io.cantle.simulation.planted;
