/**
 * Bugs planted in the core, to show that the simulation finds what it claims to find. Production
 * code has no switches: a bug is a text of the core's sources and another that takes its place. The
 * patched source is compiled into a temporary folder, and a child process runs the ordinary
 * simulation with that folder before everything else on its class path.
 *
 * <p>{@link io.cantle.simulation.planted.PlantedBugCatalog} is the list; {@link
 * io.cantle.simulation.planted.BugCampaign} hunts all of them; {@link
 * io.cantle.simulation.planted.PlantedBugCommand} reads the words of the command line.
 *
 * <p><b>Threading:</b> one thread hunts one bug; several hunt side by side.
 */
package io.cantle.simulation.planted;
