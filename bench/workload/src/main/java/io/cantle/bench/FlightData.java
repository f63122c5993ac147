package io.cantle.bench;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The data that all products are given, the same in every round, and the results that the workloads
 * must find in it.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class FlightData {

  /**
   * How long the payload of a {@link Flight} is: with the other fields an entry has 1,000 bytes.
   */
  public static final int PAYLOAD_BYTES = 984;

  private static final int PAYLOADS = 64;
  private static final String[] ORIGINS = {"EWR", "JFK", "LGA"};

  private final String[] keys;
  private final int[] hours;
  private final int[] delays;
  private final byte[][] payloads;
  private final Map<Integer, Long> delayedByHour;

  /** Makes the data of this many entries; the same count gives the same data. */
  public FlightData(int count) {
    var random = new SplittableRandom(20130101);
    keys = new String[count];
    hours = new int[count];
    delays = new int[count];
    Map<Integer, Long> late = new HashMap<>();
    for (int number = 0; number < count; number++) {
      String digits = Integer.toString(number);
      keys[number] = "f" + "0".repeat(9 - digits.length()) + digits;
      hours[number] = random.nextInt(5, 24);
      delays[number] = random.nextInt(-20, 40);
      if (delays[number] > 0) {
        late.merge(hours[number], 1L, Long::sum);
      }
    }
    payloads = new byte[PAYLOADS][PAYLOAD_BYTES];
    for (byte[] payload : payloads) {
      random.nextBytes(payload);
    }
    delayedByHour = Map.copyOf(late);
  }

  /** Returns how many entries there are. */
  public int count() {
    return keys.length;
  }

  /** Returns the key of a flight, ten characters. */
  public String key(int number) {
    return keys[number];
  }

  /**
   * Returns a new copy of a flight. {@code edition} chooses its payload, everything else stays the
   * same.
   */
  public Flight flight(int number, int edition) {
    return new Flight(
        number,
        ORIGINS[number % ORIGINS.length],
        hours[number],
        delays[number],
        payloads[Math.floorMod(number + edition, PAYLOADS)].clone());
  }

  /**
   * Returns the sum of all numbers, to which an iteration adds up that delivered each entry once.
   */
  public long numberSum() {
    return (long) keys.length * (keys.length - 1) / 2;
  }

  /** Returns how many flights of each hour were late: the right answer of the group workload. */
  public Map<Integer, Long> delayedByHour() {
    return delayedByHour;
  }
}
