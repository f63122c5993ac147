package io.cantle.core.replica;

import io.cantle.core.transport.Member;
import java.util.List;

/**
 * What a copy holds of the last epoch it saw writes in.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param sinceEpoch from which epoch on it took part in every write
 * @param epoch the last epoch it saw writes in, 0 for none
 * @param applied the index it has come to
 * @param writes those of its tail that were asked for
 * @param segmentMillis the time of the segment as the copy knows it, -1 if it has not begun
 */
public record ReplicaLogSummary(
    int sinceEpoch, int epoch, long applied, List<OrderedWrite> writes, long segmentMillis) {
  /** Writes somebody has to be given before the epoch may be served. */
  public record MissingWrites(Member member, int epoch, List<OrderedWrite> writes) {}
}
