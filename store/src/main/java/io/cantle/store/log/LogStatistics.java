package io.cantle.store.log;

/**
 * Counts of what a log has done since it was opened.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param records how many records were written
 * @param bytes how many bytes were written, headers and padding included
 * @param batches how many frames of records were written
 * @param syncs how many times something was made durable, by a durable write or by a force
 * @param queuedBytes how many bytes wait to be written, or are being written
 */
public record LogStatistics(long records, long bytes, long batches, long syncs, long queuedBytes) {}
