/**
 * The scenario of nodes whose monotonic clock stands still while they do, as on a suspended
 * machine: no node may return anything outdated when it resumes. Begin with {@link
 * io.cantle.chaos.scenario.clock.FrozenClock}.
 *
 * <p><b>Threading:</b> see each class.
 */
@NullMarked
package io.cantle.chaos.scenario.clock;

import org.jspecify.annotations.NullMarked;
