/**
 * Output shared by all commands: progress, JSON results, free ports, and usage errors. It imports
 * nothing of the grid. Begin reading with {@link io.cantle.cli.console.ProgressPrinter}.
 *
 * <p><b>Threading:</b> each class says its own.
 */
package io.cantle.cli.console;
