package io.cantle;

import java.util.Objects;

/**
 * A bound on the bytes that the entries of several caches take together on each node. Caches that
 * name the same budget share it; {@link CacheConfig#memoryBudget(MemoryBudget)} says how.
 *
 * <p>A budget needs no definition beside the caches that name it. All caches of a grid that name it
 * must name as many bytes.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name identifies the budget in its grid, 1 to {@value #MAX_NAME_CHARS} characters
 * @param maxBytes how many bytes the entries of its caches may take on a node, at least {@value
 *     CacheConfig#MIN_SEGMENT_BYTES} for each of their segments
 */
public record MemoryBudget(String name, long maxBytes) {
  /** The most characters the name may have. */
  public static final int MAX_NAME_CHARS = 200;

  /** The budget of a cache that shares none. */
  public static final MemoryBudget NONE = new MemoryBudget("", CacheConfig.UNBOUNDED);

  /** Checks the name and the number. */
  public MemoryBudget {
    Objects.requireNonNull(name, "name of a memory budget");
    boolean isNone = name.isEmpty() && maxBytes == CacheConfig.UNBOUNDED;
    if (!isNone && (name.isBlank() || name.length() > MAX_NAME_CHARS)) {
      throw new IllegalArgumentException(
          "name of a memory budget has 1 to %s characters and is not blank: \"%s\""
              .formatted(MAX_NAME_CHARS, name));
    }
    if (!isNone && (maxBytes < 1 || maxBytes == CacheConfig.UNBOUNDED)) {
      throw new IllegalArgumentException(
          "memory budget \"%s\" of %s bytes is not within 1 to %s"
              .formatted(name, maxBytes, CacheConfig.UNBOUNDED - 1));
    }
  }

  /** A budget of so many bytes on each node. */
  public static MemoryBudget ofBytes(String name, long maxBytes) {
    return new MemoryBudget(name, maxBytes);
  }
}
