/**
 * An append-only log with group commit. It makes records durable, many with one sync, and finds
 * them again after any crash. Begin reading at {@link io.cantle.store.log.AppendLog}, the interface
 * of the package.
 *
 * <p>A record takes this way. The appending thread makes a {@code PendingAppend} of it, with the
 * checksum of its bytes, and hands that to the {@code LogWriter} of the log's {@code LogStrategy}.
 * By default that is a thread which takes everything queued in the {@code AppendQueue} and waits a
 * moment for more if that pays ({@code GroupCommitDelay}). A {@code FrameWriter} copies the records
 * into one {@code LogFrame} and writes it to the end of the active file of {@code LogFiles}. Once
 * the frame is durable, it completes the appends in order.
 *
 * <p>{@code LogRecovery} opens what is left after a crash. {@code LogFileScan} reads it frame by
 * frame. Each frame says what was durable when it was written, which distinguishes a torn end from
 * damage. {@code LogVerifier} reports all damage of a log that is not open.
 *
 * <p>The package may import {@code io.cantle.store.disk} and {@code io.cantle.store}, but nothing
 * of {@code segment}, which stands on it. The file format is in {@code docs/formats/log.md}, the
 * reasons are in {@code docs/decisions/log.md}.
 *
 * <p><b>Threading:</b> each type says which. A log has two threads of its own, made by the factory
 * it is opened with.
 */
package io.cantle.store.log;
