package io.cantle.simulation;

import io.cantle.simulation.SeedScenario.KeyForm;

/**
 * The mapping between the number of a key and the key of a cache.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param form what a key is made of
 */
record KeyNumbering(KeyForm form) {

  /** A key with several components. */
  record KeyRecord(int number, String street) {}

  /** Returns the key with this number. */
  Object toKey(int number) {
    return switch (form) {
      case TEXT -> "key-" + number;
      case NUMBER -> number;
      case RECORD -> new KeyRecord(number, "street " + number % 7);
    };
  }

  /** Returns the number of a key, or -1 for a key that {@link #toKey} never makes. */
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
