package io.cantle.core.replica;

/**
 * The number of live entries, valid once {@code index} is committed.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param count live entries
 * @param epoch the epoch they were counted in
 * @param index the index that must be committed before the count may be returned
 * @param isCommitted whether it is committed already
 */
public record LiveEntryCount(long count, int epoch, long index, boolean isCommitted) {}
