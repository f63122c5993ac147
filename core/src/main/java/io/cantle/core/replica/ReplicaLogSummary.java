package io.cantle.core.replica;

import io.cantle.core.transport.Member;
import java.util.List;

/**
 * What a replica holds of the last epoch in which it saw writes.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param sinceEpoch the epoch from which on it took part in every write
 * @param epoch the last epoch in which it saw writes, 0 for none
 * @param applied the index of the last write applied
 * @param writes the uncommitted writes that were asked for
 * @param segmentMillis the time of the segment as the replica knows it, -1 if it has not started
 */
public record ReplicaLogSummary(
    int sinceEpoch, int epoch, long applied, List<OrderedWrite> writes, long segmentMillis) {
  /** The same summary with other writes. */
  public ReplicaLogSummary withWrites(List<OrderedWrite> others) {
    return new ReplicaLogSummary(sinceEpoch, epoch, applied, others, segmentMillis);
  }

  /** Writes of an epoch that a member lacks, or has not acknowledged. */
  public record MissingWrites(Member member, int epoch, List<OrderedWrite> writes) {}
}
