package io.cantle.core.replica;

import java.util.List;

/**
 * The result of applying replicated writes at a backup or joiner.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param applied the index of the last write applied
 * @param writes the writes that were just applied, in order, with their results
 */
public record ApplyResult(long applied, List<ReplicationBatch.SegmentWrite> writes) {}
