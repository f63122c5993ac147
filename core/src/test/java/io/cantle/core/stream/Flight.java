package io.cantle.core.stream;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * The elements of the streams in these tests.
 *
 * @param number the key as well
 * @param carrier one of few
 * @param delayMinutes negative when early
 * @param distance in miles
 */
record Flight(int number, String carrier, int delayMinutes, double distance) {
  /** Compares flights; no two are equal. */
  static final Comparator<Flight> BY_DISTANCE =
      Comparator.comparingDouble(Flight::distance).thenComparingInt(Flight::number);

  private static final String[] CARRIERS = {"AA", "B6", "DL", "EV", "UA", "WN"};

  static Flight farther(Flight left, Flight right) {
    return BY_DISTANCE.compare(left, right) >= 0 ? left : right;
  }

  boolean late() {
    return delayMinutes > 0;
  }

  /** Makes some flights, the same for the same seed. */
  static List<Flight> some(long seed, int count) {
    Random random = new Random(seed);
    List<Flight> flights = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      flights.add(
          new Flight(
              i,
              CARRIERS[random.nextInt(CARRIERS.length)],
              random.nextInt(200) - 60,
              random.nextInt(3_000)));
    }
    return flights;
  }
}
