package io.cantle.simulation;

import io.cantle.simulation.SeedScenario.KeyForm;

/**
 * Numbers of keys as keys of a cache, and back.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param form what a key is made of
 */
record KeyNumbering(KeyForm form) {

  /** A key made of several things. */
  record KeyRecord(int number, String street) {}

  /** The key of a number. */
  Object toKey(int number) {
    return switch (form) {
      case TEXT -> "key-" + number;
      case NUMBER -> number;
      case RECORD -> new KeyRecord(number, "street " + number % 7);
    };
  }

  /** The number of a key; -1 for one that {@link #toKey} never makes. */
  static int toNumber(Object key) {
    return switch (key) {
      case String text when text.startsWith("key-") -> Integer.parseInt(text.substring(4));
      case Integer number -> number;
      case KeyRecord(int number, String street) when street.equals("street " + number % 7) ->
          number;
      default -> -1;
    };
  }
}
