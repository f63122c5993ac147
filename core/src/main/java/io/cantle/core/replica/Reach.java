package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;

/**
 * How much a copy held of what was acknowledged in its grid, compared with other copies of the same
 * segment there.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param born the epoch in which the segment had begun empty
 * @param entered the epoch the copy was in
 * @param whole whether it took part in all writes of that epoch; one that was excluded did not
 */
public record Reach(int born, int entered, boolean whole) {
  /** Whether a copy that reached so far holds whatever was acknowledged and another one holds. */
  boolean covers(Reach other) {
    return born == other.born
        && (entered > other.entered || (entered == other.entered && (whole || !other.whole)));
  }

  /** Writes it. */
  public void write(Output out) {
    out.writeVarint(born);
    out.writeVarint(entered);
    out.writeBoolean(whole);
  }

  /** Reads what {@link #write} wrote. */
  public static Reach read(Input in) {
    return new Reach(
        in.readCount(Integer.MAX_VALUE), in.readCount(Integer.MAX_VALUE), in.readBoolean());
  }
}
