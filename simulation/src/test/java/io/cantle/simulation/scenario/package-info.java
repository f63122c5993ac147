/**
 * Scripts that hold the grid to one promise each, at the one moment at which it is hard to keep:
 * each is a bug that some grid has had. What scripts are made of is {@link
 * io.cantle.simulation.ScriptedStage}.
 *
 * <p><b>Threading:</b> scripts run on a simulated thread, in virtual time.
 */
@NullMarked
package io.cantle.simulation.scenario;

import org.jspecify.annotations.NullMarked;
