/**
 * Append logs to compare, and the loop that measures them: a raw loop of write and sync, and the
 * port by which Cantle's log and the peers are driven, each from a class path of its own. Five logs
 * come from a mail of 2013 with which the comparison began; they are strategies of Cantle's log.
 * Begin with {@link io.cantle.bench.log.LogRounds}.
 *
 * <p>Being a benchmark, it reads real time, starts threads and opens files.
 *
 * <p><b>Threading:</b> each type says its own; {@link io.cantle.bench.log.ClosedLoop} starts the
 * writers.
 */
@NullMarked
package io.cantle.bench.log;

import org.jspecify.annotations.NullMarked;
