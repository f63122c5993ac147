/**
 * Nodes whose monotonic clock stands still while they do, as on a machine that is suspended: none
 * may tell anything outdated when it goes on. See {@link
 * io.cantle.chaos.scenario.clock.FrozenClock}.
 *
 * <p><b>Threading:</b> see each class.
 */
@NullMarked
package io.cantle.chaos.scenario.clock;

import org.jspecify.annotations.NullMarked;
