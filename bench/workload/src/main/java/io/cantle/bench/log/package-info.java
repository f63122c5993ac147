/**
 * Append logs to compare, and the loop that measures them: the five of a mail of 2013 that began
 * this (one lock; writers that wait for one another; one writer with three ways to wait for it), a
 * raw loop of write and sync, and the port by which Cantle's log and the peers are driven, each
 * from a class path of its own. The logs of the mail are written from its description.
 *
 * <p>Being a benchmark, it reads real time, starts threads and opens files.
 *
 * <p><b>Threading:</b> each log says its own; {@link io.cantle.bench.log.ClosedLoop} starts the
 * writers.
 */
@NullMarked
package io.cantle.bench.log;

import org.jspecify.annotations.NullMarked;
