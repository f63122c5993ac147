/**
 * The scenario in which strangers send whatever they like to the ports of a grid.
 *
 * <p><b>Threading:</b> each type says its own.
 */
@NullMarked
package io.cantle.chaos.scenario.strangers;

import org.jspecify.annotations.NullMarked;
