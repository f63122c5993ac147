/**
 * The words of {@code ./cantle} that work with a grid. Each word is one command; what it says is on
 * stdout, and stderr holds nothing but errors. Exit status 0: done; 1: what the command shows does
 * not hold, or it broke; 2: it was asked for something impossible.
 *
 * <p><b>Threading:</b> a command runs on the main thread.
 */
package io.cantle.cli;
