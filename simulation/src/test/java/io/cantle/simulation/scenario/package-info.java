/**
 * Scripts that test one promise of the grid each, at the moment at which it is hard to keep. Each
 * stands for a bug that some grid has had. They use the public API and the stage; begin with {@link
 * io.cantle.simulation.ScriptedStage}, on which scripts run.
 *
 * <p><b>Threading:</b> scripts run on a simulated thread, in virtual time.
 */
@NullMarked
package io.cantle.simulation.scenario;

import org.jspecify.annotations.NullMarked;
