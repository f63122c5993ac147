/**
 * The words of a command line, as {@code ./cantle simulate} reads them in each of its forms. The
 * package imports nothing of the simulation, so all of it can use it. It is {@link
 * io.cantle.simulation.options.CommandLineOptions}.
 *
 * <p><b>Threading:</b> one thread reads one command line.
 */
@NullMarked
package io.cantle.simulation.options;

import org.jspecify.annotations.NullMarked;
