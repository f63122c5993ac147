package io.cantle;

/**
 * Thrown by a write for which there is no room; it was not made. There are four reasons.
 *
 * <ul>
 *   <li>The cache is full and {@link CacheConfig#whenFull} is {@link WhenFull#REFUSE}. Then calling
 *       again succeeds once entries of the same segment were removed or have expired; the hash of a
 *       key says which segment that is.
 *   <li>The entry alone is longer than what its segment may take of {@link CacheConfig#maxBytes}.
 *       Then calling again helps only if more nodes have joined.
 *   <li>The heap of a node that holds the segment is nearly full, whatever bounds the cache has.
 *       Then calling again succeeds once there is room; see {@link Grid#heapFigures}.
 *   <li>The primary has as much memory off the heap as {@link GridConfig#offHeapMemory} allows, and
 *       the cache is there. Then calling again succeeds once such entries were removed or have
 *       expired, or more nodes have joined. Removals and values that are no longer than those they
 *       replace are always written.
 * </ul>
 */
public final class CacheFullException extends GridException {
  private static final long serialVersionUID = 1;

  /** Makes an exception whose message says what is full and what to do. */
  public CacheFullException(String message) {
    super(message);
  }
}
