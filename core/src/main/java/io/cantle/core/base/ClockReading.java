package io.cantle.core.base;

/**
 * A point in time as read from the clocks of one machine. Only that machine can interpret it.
 * Another machine may store it and send it back.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param monotonicNanos the monotonic clock, which may stop while the machine is suspended
 * @param wallMillis the time of day, which may jump
 * @param bootNanos the clock that advances while the machine is suspended, or 0 if there is none
 */
public record ClockReading(long monotonicNanos, long wallMillis, long bootNanos) {

  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * The most time that can have passed from this reading to a later one. It is never too short as
   * long as one of the clocks has advanced. It is too long if the time of day has jumped ahead.
   */
  long maxNanosTo(ClockReading later) {
    long wall = (later.wallMillis - wallMillis) * NANOS_PER_MILLI;
    long boot = later.bootNanos - bootNanos;
    return Math.max(later.monotonicNanos - monotonicNanos, Math.max(wall, boot));
  }

  /** Whether this reading is later than another one of the same machine. */
  public boolean isAfter(ClockReading other) {
    return monotonicNanos - other.monotonicNanos > 0;
  }

  /** Writes the reading, so that another node can send it back. */
  public void write(Output out) {
    out.writeLong(monotonicNanos);
    out.writeLong(wallMillis);
    out.writeLong(bootNanos);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedException if the bytes are not a reading
   */
  public static ClockReading read(Input in) {
    return new ClockReading(in.readLong(), in.readLong(), in.readLong());
  }
}
