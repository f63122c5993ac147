/**
 * The scenario in which more is scanned at once than the memory could hold. Begin with {@link
 * io.cantle.chaos.scenario.scans.ScansScenario}.
 *
 * <p><b>Threading:</b> see each class.
 */
@NullMarked
package io.cantle.chaos.scenario.scans;

import org.jspecify.annotations.NullMarked;
