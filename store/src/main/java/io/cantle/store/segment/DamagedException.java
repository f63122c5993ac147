package io.cantle.store.segment;

import io.cantle.store.FileDamage;
import java.io.IOException;

/**
 * Thrown when a file of the store does not hold what was written to it. The contents of the segment
 * that it names are lost here; fetch them from another owner.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class DamagedException extends IOException {
  private static final long serialVersionUID = 1;

  /** Stands for no particular segment: the whole file is in question. */
  public static final int NO_SEGMENT = -1;

  private final String file;
  private final long offset;
  private final int cache;
  private final int segment;
  private final String description;

  DamagedException(String file, long offset, int cache, int segment, String description) {
    super(
        file
            + " is damaged at offset "
            + offset
            + (segment == NO_SEGMENT ? "" : ", segment " + segment + " of cache " + cache)
            + ": "
            + description);
    this.file = file;
    this.offset = offset;
    this.cache = cache;
    this.segment = segment;
    this.description = description;
  }

  DamagedException(String file, long offset, String description) {
    this(file, offset, NO_SEGMENT, NO_SEGMENT, description);
  }

  /** The file, offset, segment and description in one object. */
  public FileDamage toDamage() {
    return segment == NO_SEGMENT
        ? FileDamage.of(file, offset, description)
        : FileDamage.of(file, offset, cache, segment, description);
  }

  /** The name of the file. */
  public String file() {
    return file;
  }

  /** The offset in the file, in bytes. */
  public long offset() {
    return offset;
  }

  /** The cache, or {@link #NO_SEGMENT}. */
  public int cache() {
    return cache;
  }

  /** The segment, or {@link #NO_SEGMENT}. */
  public int segment() {
    return segment;
  }
}
