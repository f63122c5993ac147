package io.cantle.simulation;

/**
 * A value as it lies in a cache: it says which write it comes from and which key it belongs to, and
 * is long enough to be worth moving. It follows from its key, id and scale, so that whoever reads
 * one can check its bytes, and whoever knows the id can make an equal one.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param key the number of its key
 * @param id the number of its write
 * @param scale the longest text
 * @param text a text that follows from the others
 */
record StampedValue(int key, long id, int scale, String text) {

  /** The value of a write. */
  static StampedValue of(int key, long id, int scale) {
    return new StampedValue(key, id, scale, text(id, scale));
  }

  /** The id, after a check of everything else. */
  long verifyId(int expectedKey) {
    if (key != expectedKey || !text.equals(text(id, scale))) {
      throw new IllegalStateException("k" + expectedKey + " holds damaged " + this);
    }
    return id;
  }

  /** What {@link MapOperation.Kind#MERGE} makes of two. */
  StampedValue joinedWith(StampedValue added) {
    return of(key, MapOperation.joinValues(id, added.id), scale);
  }

  /** What {@link MapOperation.Kind#INCREMENT} makes of two. */
  StampedValue withAdded(StampedValue added) {
    return of(key, id + added.id, scale);
  }

  private static String text(long id, int scale) {
    int length = (int) Math.floorMod(id * 31, scale + 1L);
    return Character.toString('a' + (int) Math.floorMod(id, 26L)).repeat(length);
  }
}
