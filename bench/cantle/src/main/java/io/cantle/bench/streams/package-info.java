/**
 * The pipelines of {@code bench streams}, the processes of the grid they run on, and the rounds in
 * which they are measured beside the JDK's. Begin reading with {@link
 * io.cantle.bench.streams.StreamRounds}.
 *
 * <p><b>Threading:</b> each class says its own.
 */
@NullMarked
package io.cantle.bench.streams;

import org.jspecify.annotations.NullMarked;
