package io.cantle.store.log;

/**
 * What a log has done since it was opened.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param records how many records were written
 * @param bytes how many bytes were written, heads and padding included
 * @param batches how many frames of records were written
 * @param syncs how many times something was made durable: writes that are so by themselves, and
 *     forces
 * @param queuedBytes how many bytes wait to be written, or are written just now
 */
public record LogStatistics(long records, long bytes, long batches, long syncs, long queuedBytes) {}
