package io.cantle;

/**
 * Thrown by a write for which a cache with a bound has no room; it was not made. There are two
 * reasons. Either the cache is full and {@link CacheConfig#whenFull} is {@link WhenFull#REFUSE};
 * then calling again succeeds once entries of the same segment were removed or have expired, and
 * the hash of a key says which segment that is. Or the entry alone is longer than what its segment
 * may take of {@link CacheConfig#maxBytes}, and calling again helps only if more nodes have joined.
 */
public final class CacheFullException extends GridException {
  private static final long serialVersionUID = 1;

  /** Makes an exception whose message says what is full and what to do. */
  public CacheFullException(String message) {
    super(message);
  }
}
