/**
 * The scenario in which more is scanned at once than memory could hold.
 *
 * <p><b>Threading:</b> each type says its own.
 */
@NullMarked
package io.cantle.chaos.scenario.scans;

import org.jspecify.annotations.NullMarked;
