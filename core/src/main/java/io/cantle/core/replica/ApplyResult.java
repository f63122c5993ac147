package io.cantle.core.replica;

import java.util.List;

/**
 * What a backup or joiner did with writes that came.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param applied the index it has come to
 * @param writes those it has just applied, in order, with their results
 */
public record ApplyResult(long applied, List<OrderedWrite.ReceivedWrite> writes) {}
