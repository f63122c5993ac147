/**
 * Append logs to compare, and the loop that measures them. Five logs come from a mail of 2013 with
 * which the comparison began: one with a lock, one in which writers wait for one another, and one
 * with a single writer in three ways to wait for it. They are written from the mail's description.
 * There is also a raw loop of write and sync, and the port by which Cantle's log and the peers are
 * driven, each from a class path of its own. Begin with {@link io.cantle.bench.log.LogRounds}.
 *
 * <p>Being a benchmark, it reads real time, starts threads and opens files.
 *
 * <p><b>Threading:</b> each log says its own; {@link io.cantle.bench.log.ClosedLoop} starts the
 * writers.
 */
@NullMarked
package io.cantle.bench.log;

import org.jspecify.annotations.NullMarked;
