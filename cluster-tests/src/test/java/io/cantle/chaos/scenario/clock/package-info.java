/** Tests of the scenario in which machines are suspended. */
@NullMarked
package io.cantle.chaos.scenario.clock;

import org.jspecify.annotations.NullMarked;
