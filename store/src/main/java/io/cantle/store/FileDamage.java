package io.cantle.store;

import java.util.OptionalInt;

/**
 * A place in a file that does not hold what was written to it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param file the name of the file
 * @param offset where in the file, in bytes
 * @param cache the cache that the damaged bytes belonged to, if known
 * @param segment the segment that the damaged bytes belonged to, if known
 * @param isCertain whether cache and segment are certain; otherwise they were read from damaged
 *     bytes
 * @param description what is wrong, in words
 */
public record FileDamage(
    String file,
    long offset,
    OptionalInt cache,
    OptionalInt segment,
    boolean isCertain,
    String description) {

  /** Damage that belongs to no particular segment. */
  public static FileDamage of(String file, long offset, String description) {
    return new FileDamage(
        file, offset, OptionalInt.empty(), OptionalInt.empty(), true, description);
  }

  /** Damage of a segment that is known for certain. */
  public static FileDamage of(
      String file, long offset, int cache, int segment, String description) {
    return new FileDamage(
        file, offset, OptionalInt.of(cache), OptionalInt.of(segment), true, description);
  }

  /** The same damage with more about it. */
  public FileDamage and(String addition) {
    return new FileDamage(file, offset, cache, segment, isCertain, description + addition);
  }

  /** Whose bytes are damaged, in words. */
  String owner() {
    return segment.isEmpty()
        ? "no segment in particular"
        : "segment %s of cache %s%s"
            .formatted(
                segment.getAsInt(),
                cache.orElse(0),
                isCertain ? "" : " (uncertain: read from damaged bytes)");
  }

  /** One line with file, offset, segment, and what is wrong. */
  public String describe() {
    return file + ", offset " + offset + ", " + owner() + ": " + description;
  }
}
