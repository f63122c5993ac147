package io.cantle.core.base;

/**
 * A moment as the clocks of one machine read it. It means something only to that machine; others
 * may hand it back.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param monotonicNanos the clock that may stand still while the machine is suspended
 * @param wallMillis the time of day, which may jump
 * @param bootNanos the clock that goes on while the machine is suspended, or 0 where there is none
 */
public record ClockReading(long monotonicNanos, long wallMillis, long bootNanos) {

  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * The most that can have passed from here to a later moment: never too short while any of the
   * clocks has gone on, and too long where the time of day has jumped ahead.
   */
  public long maxNanosTo(ClockReading later) {
    long wall = (later.wallMillis - wallMillis) * NANOS_PER_MILLI;
    long boot = later.bootNanos - bootNanos;
    return Math.max(later.monotonicNanos - monotonicNanos, Math.max(wall, boot));
  }

  /**
   * The least that has passed from here to a later moment: never too long, and too short where the
   * machine was suspended meanwhile.
   */
  public long minNanosTo(ClockReading later) {
    return later.monotonicNanos - monotonicNanos;
  }

  /** Whether this moment is later than another of the same machine. */
  public boolean isAfter(ClockReading other) {
    return monotonicNanos - other.monotonicNanos > 0;
  }

  /** Writes it, to be handed back. */
  public void write(Output out) {
    out.writeLong(monotonicNanos);
    out.writeLong(wallMillis);
    out.writeLong(bootNanos);
  }

  /**
   * Reads one.
   *
   * @throws MalformedException if there is none
   */
  public static ClockReading read(Input in) {
    return new ClockReading(in.readLong(), in.readLong(), in.readLong());
  }
}
