package io.cantle.simulation;

/**
 * A value as it lies in a cache: it says which write it comes from and which key it belongs to, and
 * is long enough to be worth moving. Whoever reads one checks that its bytes are those that were
 * written.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param key the number of its key
 * @param id the number of its write
 * @param text a text that follows from the id
 */
record Stamp(int key, long id, String text) {

  /** The value of a write; the usual size decides the length of its text. */
  static Stamp of(int key, long id, int usualBytes) {
    return new Stamp(key, id, text(id, length(id, usualBytes)));
  }

  /** The id, after a check of everything else. */
  long checkedId(int expectedKey) {
    if (key != expectedKey || !text.equals(text(id, text.length()))) {
      throw new IllegalStateException("k" + expectedKey + " holds damaged " + this);
    }
    return id;
  }

  /** What {@link Operation.Kind#MERGE} makes of two. */
  Stamp joinedWith(Stamp added) {
    return of(key, Operation.join(id, added.id), added.text.length());
  }

  private static int length(long id, int usualBytes) {
    return (int) Math.floorMod(id * 31, usualBytes + 1L);
  }

  private static String text(long id, int length) {
    return Character.toString('a' + (int) Math.floorMod(id, 26L)).repeat(length);
  }
}
