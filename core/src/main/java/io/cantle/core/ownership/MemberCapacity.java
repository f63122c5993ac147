package io.cantle.core.ownership;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * How much a member should hold relative to others, and the rack with which it is likely to fail.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param capacityMillionths the capacity as an integer, so that every node computes the same
 *     shares. A member with twice the capacity holds twice as much, one with 0 holds nothing
 * @param rack the name of the rack, at most {@link #MAX_RACK_BYTES} bytes of UTF-8; empty for a
 *     member without a rack, which fails alone
 */
public record MemberCapacity(int capacityMillionths, String rack) {
  /** The longest name of a rack, in bytes of UTF-8. */
  static final int MAX_RACK_BYTES = 64;

  /** The capacity of a member that configures none. */
  public static final MemberCapacity DEFAULT = of(1, "");

  private static final int MILLIONTHS_PER_UNIT = 1_000_000;
  private static final int MAX_MILLIONTHS = 1_000 * MILLIONTHS_PER_UNIT;

  /** Checks both values. */
  public MemberCapacity {
    if (capacityMillionths < 0 || capacityMillionths > MAX_MILLIONTHS) {
      throw new IllegalArgumentException(
          "a capacity of %s millionths is not within 0 to %s"
              .formatted(capacityMillionths, MAX_MILLIONTHS));
    }
    int length = rack.getBytes(UTF_8).length;
    if (length > MAX_RACK_BYTES) {
      throw new IllegalArgumentException(
          "the name of a rack has at most " + MAX_RACK_BYTES + " bytes of UTF-8, not " + length);
    }
  }

  /** Converts a configured capacity. One that is not 0 never becomes 0, however small it is. */
  public static MemberCapacity of(double capacity, String rack) {
    long rounded = Math.round(capacity * MILLIONTHS_PER_UNIT);
    return new MemberCapacity(Math.toIntExact(capacity > 0 ? Math.max(1, rounded) : rounded), rack);
  }

  /** Whether a member with this capacity may own segments. */
  public boolean mayOwnSegments() {
    return capacityMillionths > 0;
  }

  /** The capacity as configured. */
  public double capacity() {
    return (double) capacityMillionths / MILLIONTHS_PER_UNIT;
  }

  /** Writes both values. */
  public void write(Output out) {
    out.writeVarint(capacityMillionths);
    out.writeString(rack);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedException if the bytes are not a valid capacity
   */
  public static MemberCapacity read(Input in) {
    int millionths = in.readCount(MAX_MILLIONTHS);
    try {
      return new MemberCapacity(millionths, in.readString());
    } catch (IllegalArgumentException e) {
      throw new MalformedException("invalid member capacity: " + e.getMessage());
    }
  }
}
