/**
 * What every word of the command line says and writes in the same way.
 *
 * <p><b>Threading:</b> each class says its own.
 */
package io.cantle.cli.console;
