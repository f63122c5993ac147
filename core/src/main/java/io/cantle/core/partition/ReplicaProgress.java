package io.cantle.core.partition;

/**
 * How much of what was acknowledged in its grid a replica held, compared with other replicas of the
 * same segment there.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param birthEpoch the epoch in which the segment began empty
 * @param enteredEpoch the epoch the replica was in
 * @param isWhole whether it took part in all writes of that epoch; an excluded one did not
 */
public record ReplicaProgress(int birthEpoch, int enteredEpoch, boolean isWhole) {
  /**
   * Whether a replica with this progress holds every acknowledged write that the other one holds.
   */
  boolean covers(ReplicaProgress other) {
    return birthEpoch == other.birthEpoch
        && (enteredEpoch > other.enteredEpoch
            || (enteredEpoch == other.enteredEpoch && (isWhole || !other.isWhole)));
  }
}
