/**
 * The word {@code log}: what the files of a store hold, and whether they hold what was written. It
 * reads a store that nobody has open, and changes nothing.
 *
 * <p><b>Threading:</b> the main thread.
 */
package io.cantle.cli.log;
