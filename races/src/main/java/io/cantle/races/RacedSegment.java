package io.cantle.races;

import io.cantle.core.container.Container;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A segment as its replica uses it: readers take no lock, writers take the segment's. Keys are 0 to
 * 7, and their order is the order of the hash. 0 to 3 have one home in the smallest table of {@link
 * io.cantle.core.container.HeapContainer}, and so do 4 to 7, so most writes move other entries.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RacedSegment {
  /** The answer for a key without an entry. */
  static final int NOTHING = 0;

  /** The answer of a scan that went back, or met a key twice. */
  static final int OUT_OF_ORDER = -1;

  private static final int HASH_SHIFT = 60;

  private final Container container;
  private final Object lock = new Object();

  /** Creates a segment with an entry of value 1 for each of these keys. */
  RacedSegment(int... keys) {
    container = RacedContainer.ofThisProcess().create();
    for (int key : keys) {
      put(key, 1);
    }
  }

  /** Puts a value, which is positive, and returns the one before. */
  int put(int key, int value) {
    byte[] bytes = ByteBuffer.allocate(8).putInt(key).putInt(value).array();
    Entry entry = Entry.of(hash(key), bytes, 4, 1, value, false, 0, null);
    synchronized (lock) {
      Entry before = container.get(hash(key), bytes, 0, 4);
      container.put(entry);
      return valueOf(before);
    }
  }

  /** Removes an entry and returns its value. */
  int remove(int key) {
    synchronized (lock) {
      Entry found = container.get(hash(key), keyOf(key), 0, 4);
      if (found != null && !container.remove(found)) {
        throw new IllegalStateException("present, but not removed: " + found);
      }
      return valueOf(found);
    }
  }

  /** Reads a value. */
  int get(int key) {
    return valueOf(container.get(hash(key), keyOf(key), 0, 4));
  }

  /**
   * Reads all entries.
   *
   * @return a bit for each key that came, from the lowest for key 0, or {@link #OUT_OF_ORDER}
   */
  int scan() {
    int[] seen = {0};
    container.scan(
        SegmentCursor.START,
        entry -> {
          int bit = 1 << ByteBuffer.wrap(entry.bytes()).getInt();
          // An unsigned number is as large as its highest bit, which is the last key that came.
          seen[0] = bit > seen[0] ? seen[0] | bit : OUT_OF_ORDER;
          return seen[0] == OUT_OF_ORDER ? VisitResult.STOP_AFTER : VisitResult.CONTINUE;
        });
    return seen[0];
  }

  private static int valueOf(@Nullable Entry entry) {
    return entry == null ? NOTHING : ByteBuffer.wrap(entry.bytes()).getInt(4);
  }

  private static byte[] keyOf(int key) {
    return ByteBuffer.allocate(4).putInt(key).array();
  }

  private static long hash(int key) {
    return (long) key << HASH_SHIFT;
  }
}
