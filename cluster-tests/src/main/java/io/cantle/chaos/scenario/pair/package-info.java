/**
 * The scenario of grids of two nodes: whatever is done to one of them must end as the operating
 * page says. Begin with {@link io.cantle.chaos.scenario.pair.TwoNodes}.
 *
 * <p><b>Threading:</b> see each class.
 */
@NullMarked
package io.cantle.chaos.scenario.pair;

import org.jspecify.annotations.NullMarked;
