/**
 * An append-only log with group commit. {@link io.cantle.store.log.AppendLog} is what is used of
 * it.
 *
 * <p>A record's way: the thread that appends makes an {@link io.cantle.store.log.PendingAppend} of
 * it, with the checksum of its bytes, and pushes that onto the {@code Handover}. The {@code
 * LogWriter} takes all there are, waits a moment for more if that pays ({@code Gather}), copies
 * them into one {@code Frame} and writes it to the end of the file of {@code LogFiles}; once it is
 * as durable as the {@link io.cantle.store.log.SyncPolicy} asks, it tells them in order. {@code
 * Recovery} opens what is left after a crash: {@code FileScan} reads frame by frame, and each frame
 * tells what was durable when it was written, so that a torn end is told from damage.
 *
 * <p>How it looks on the disk is in {@code docs/formats/log.md}, why it is so in {@code
 * docs/decisions/log.md}.
 *
 * <p><b>Threading:</b> each type says which. Two threads belong to a log, made by the factory it is
 * opened with.
 */
package io.cantle.store.log;
