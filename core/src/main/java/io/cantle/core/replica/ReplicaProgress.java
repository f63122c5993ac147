package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;

/**
 * How much a copy held of what was acknowledged in its grid, compared with other copies of the same
 * segment there.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param birthEpoch the epoch in which the segment had begun empty
 * @param enteredEpoch the epoch the copy was in
 * @param isWhole whether it took part in all writes of that epoch; one that was excluded did not
 */
public record ReplicaProgress(int birthEpoch, int enteredEpoch, boolean isWhole) {
  /** Whether a copy that reached so far holds whatever was acknowledged and another one holds. */
  boolean covers(ReplicaProgress other) {
    return birthEpoch == other.birthEpoch
        && (enteredEpoch > other.enteredEpoch
            || (enteredEpoch == other.enteredEpoch && (isWhole || !other.isWhole)));
  }

  /** Writes it. */
  public void write(Output out) {
    out.writeVarint(birthEpoch);
    out.writeVarint(enteredEpoch);
    out.writeBoolean(isWhole);
  }

  /** Reads what {@link #write} wrote. */
  public static ReplicaProgress read(Input in) {
    return new ReplicaProgress(
        in.readCount(Integer.MAX_VALUE), in.readCount(Integer.MAX_VALUE), in.readBoolean());
  }
}
