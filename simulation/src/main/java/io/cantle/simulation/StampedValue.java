package io.cantle.simulation;

/**
 * A value as it is stored in a cache. It says which write made it and which key it belongs to, and
 * is long enough to be worth moving. The value is determined by its key, id and scale. So a reader
 * can check its bytes, and anyone who knows the id can make an equal one.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param key the number of its key
 * @param id the number of its write
 * @param scale the longest text
 * @param text a text determined by the others
 */
record StampedValue(int key, long id, int scale, String text) {

  /** Returns the value of a write. */
  static StampedValue of(int key, long id, int scale) {
    return new StampedValue(key, id, scale, text(id, scale));
  }

  /** Returns the id, after checking everything else. */
  long verifyId(int expectedKey) {
    if (key != expectedKey || !text.equals(text(id, scale))) {
      throw new IllegalStateException("k" + expectedKey + " holds damaged " + this);
    }
    return id;
  }

  /** Returns what {@link MapOperation.Kind#MERGE} makes of two values. */
  StampedValue joinedWith(StampedValue added) {
    return of(key, MapOperation.joinValues(id, added.id), scale);
  }

  /** Returns what {@link MapOperation.Kind#INCREMENT} makes of two values. */
  StampedValue withAdded(StampedValue added) {
    return of(key, id + added.id, scale);
  }

  private static String text(long id, int scale) {
    int length = (int) Math.floorMod(id * 31, scale + 1L);
    return Character.toString('a' + (int) Math.floorMod(id, 26L)).repeat(length);
  }
}
