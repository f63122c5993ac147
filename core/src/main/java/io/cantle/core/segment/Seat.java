package io.cantle.core.segment;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * How much a member is to hold, beside others, and what it is likely to fail together with.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param millionths its capacity in whole numbers, so that everybody finds the same shares: one
 *     with twice as many holds twice as much, one with 0 holds nothing
 * @param rack the name of its rack, at most {@link #MAX_RACK_BYTES} bytes of UTF-8; empty for one
 *     that has none, and so fails alone
 */
public record Seat(int millionths, String rack) {
  /** The longest name of a rack, in bytes of UTF-8. */
  public static final int MAX_RACK_BYTES = 64;

  /** What a member has that says nothing. */
  public static final Seat USUAL = of(1, "");

  private static final int WHOLE = 1_000_000;
  private static final int MOST = 1_000 * WHOLE;

  /** Checks both. */
  public Seat {
    if (millionths < 0 || millionths > MOST) {
      throw new IllegalArgumentException(
          "a capacity of " + millionths + " millionths is not within 0 to " + MOST);
    }
    int length = rack.getBytes(UTF_8).length;
    if (length > MAX_RACK_BYTES) {
      throw new IllegalArgumentException(
          "the name of a rack has at most " + MAX_RACK_BYTES + " bytes of UTF-8, not " + length);
    }
  }

  /** From a configuration; however small, a capacity that is not 0 counts. */
  public static Seat of(double capacity, String rack) {
    long rounded = Math.round(capacity * WHOLE);
    return new Seat(Math.toIntExact(capacity > 0 ? Math.max(1, rounded) : rounded), rack);
  }

  /** Whether one with it may own anything. */
  public boolean holdsEntries() {
    return millionths > 0;
  }

  /** The capacity as it was configured. */
  public double capacity() {
    return (double) millionths / WHOLE;
  }

  /** Writes both. */
  public void write(Output out) {
    out.writeVarint(millionths);
    out.writeString(rack);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedException if it cannot be
   */
  public static Seat read(Input in) {
    int millionths = in.readCount(MOST);
    try {
      return new Seat(millionths, in.readString());
    } catch (IllegalArgumentException e) {
      throw new MalformedException("a seat that cannot be: " + e.getMessage());
    }
  }
}
