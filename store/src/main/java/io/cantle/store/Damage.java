package io.cantle.store;

import java.util.OptionalInt;

/**
 * A place in a file that does not hold what was written to it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param file the name of the file
 * @param offset where in the file, in bytes
 * @param cache the cache of what was there, as far as it is known
 * @param segment the segment of what was there, as far as it is known
 * @param isSure whether cache and segment are certain; otherwise they were read from something that
 *     is damaged itself
 * @param what what is wrong, for people
 */
public record Damage(
    String file, long offset, OptionalInt cache, OptionalInt segment, boolean isSure, String what) {

  /** Damage that is of no segment in particular. */
  public static Damage of(String file, long offset, String what) {
    return new Damage(file, offset, OptionalInt.empty(), OptionalInt.empty(), true, what);
  }

  /** Damage of a segment that is known for certain. */
  public static Damage of(String file, long offset, int cache, int segment, String what) {
    return new Damage(file, offset, OptionalInt.of(cache), OptionalInt.of(segment), true, what);
  }

  /** In one line: file, offset, segment, and what is wrong. */
  public String text() {
    String whose =
        segment.isEmpty()
            ? "no segment in particular"
            : "segment "
                + segment.getAsInt()
                + " of cache "
                + cache.orElse(0)
                + (isSure ? "" : " (not sure: that is read from what is damaged)");
    return file + ", offset " + offset + ", " + whose + ": " + what;
  }
}
