/**
 * The command line {@code ./cantle}: the program that picks the command named by the first
 * argument. Each command has a package of its own. Its report is on stdout, and stderr holds
 * nothing but errors. Exit status 0: done; 1: what the command shows does not hold, or it failed;
 * 2: its arguments ask for something impossible. Begin reading with {@link io.cantle.cli.Main}.
 *
 * <p><b>Threading:</b> a command runs on the main thread.
 */
package io.cantle.cli;
