package io.cantle.core.replica;

/**
 * How many live entries there are once {@code index} is committed.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param count live entries
 * @param epoch the epoch it was counted in
 * @param index what has to be committed before the count may be told
 * @param isCommitted whether it is already
 */
public record LiveEntryCount(long count, int epoch, long index, boolean isCommitted) {}
