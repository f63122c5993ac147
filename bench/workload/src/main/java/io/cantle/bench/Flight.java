package io.cantle.bench;

/**
 * The value of every entry: four fields to query and a payload that makes it about a thousand bytes
 * long.
 *
 * <p><b>Threading:</b> immutable, as long as nobody writes into the payload.
 *
 * @param number which of the entries this is, from 0
 * @param origin where the flight starts, three letters
 * @param hour of the day of its departure, 0 to 23
 * @param delayMinutes how late it left, negative when early
 * @param payload {@link FlightData#PAYLOAD_BYTES} bytes that nobody reads
 */
public record Flight(int number, String origin, int hour, int delayMinutes, byte[] payload) {

  /** Returns whether it left late: the filter of the group workload. */
  public boolean isDelayed() {
    return delayMinutes > 0;
  }
}
