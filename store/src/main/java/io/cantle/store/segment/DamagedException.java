package io.cantle.store.segment;

import io.cantle.store.Damage;
import java.io.IOException;

/**
 * A file of the store does not hold what was written to it. What it says of a segment is lost here
 * and is to be fetched from another owner.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class DamagedException extends IOException {
  private static final long serialVersionUID = 1;

  /** No segment in particular: the whole file is in question. */
  public static final int ALL = -1;

  private final String file;
  private final long offset;
  private final int cache;
  private final int segment;
  private final String what;

  DamagedException(String file, long offset, int cache, int segment, String what) {
    super(
        file
            + " is damaged at offset "
            + offset
            + (segment == ALL ? "" : ", segment " + segment + " of cache " + cache)
            + ": "
            + what);
    this.file = file;
    this.offset = offset;
    this.cache = cache;
    this.segment = segment;
    this.what = what;
  }

  DamagedException(String file, long offset, String what) {
    this(file, offset, ALL, ALL, what);
  }

  /** All of it together. */
  public Damage damage() {
    return segment == ALL
        ? Damage.of(file, offset, what)
        : Damage.of(file, offset, cache, segment, what);
  }

  /** The file. */
  public String file() {
    return file;
  }

  /** Where in the file, in bytes. */
  public long offset() {
    return offset;
  }

  /** The cache, or {@link #ALL}. */
  public int cache() {
    return cache;
  }

  /** The segment, or {@link #ALL}. */
  public int segment() {
    return segment;
  }
}
