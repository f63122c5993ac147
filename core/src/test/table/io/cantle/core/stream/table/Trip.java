package io.cantle.core.stream.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The elements of the table's pipelines. Trips are ordered by number.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param number the key as well
 * @param carrier one of few
 * @param minutes of delay, negative when early; many are equal
 * @param miles whole ones
 * @param stops none to three
 */
public record Trip(int number, String carrier, int minutes, double miles, List<String> stops)
    implements Comparable<Trip> {
  private static final List<String> CARRIERS = List.of("AA", "B6", "DL", "EV", "UA", "WN");

  @Override
  public int compareTo(Trip other) {
    return Integer.compare(number, other.number);
  }

  /** Whether it is late. */
  public boolean late() {
    return minutes > 0;
  }

  /** Makes this many trips by number, the same for the same seed. */
  public static Map<Integer, Trip> some(long seed, int count) {
    Random random = new Random(seed);
    Map<Integer, Trip> trips = new TreeMap<>();
    for (int number = 0; number < count; number++) {
      List<String> stops = new ArrayList<>();
      for (int stop = number % 4; stop > 0; stop--) {
        stops.add("stop-" + random.nextInt(9));
      }
      trips.put(
          number,
          new Trip(
              number,
              CARRIERS.get(random.nextInt(CARRIERS.size())),
              random.nextInt(60) - 20,
              random.nextInt(3_000),
              List.copyOf(stops)));
    }
    return trips;
  }
}
