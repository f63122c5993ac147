/**
 * The command {@code log}: shows what the files of a store hold, and verifies that they hold what
 * was written. It reads a store that no process has open, and changes nothing. It uses only {@code
 * io.cantle.store}. Begin reading with {@link io.cantle.cli.log.LogCommand}.
 *
 * <p><b>Threading:</b> the main thread.
 */
package io.cantle.cli.log;
