package io.cantle.races;

import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Container;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EvictionQueue;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.container.ValueHints;
import io.cantle.core.memory.MemoryAccount;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A segment as its replica uses it: readers take no lock, writers take the segment's. Keys are 0 to
 * 7, and their order is the order of the hash. 0 to 3 have one home in the smallest table of {@link
 * io.cantle.core.container.HeapContainer}, and so do 4 to 7, so most writes move other entries.
 *
 * <p>If the kind of container has a bound, a segment holds {@link #MAX_ENTRIES}. Readers mark what
 * they read, and a writer that exceeds the bound evicts. On the heap, readers remember what they
 * found.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RacedSegment {
  /** The answer for a key without an entry. */
  static final int NOTHING = 0;

  /** The answer of a scan that went back, or met a key twice. */
  static final int OUT_OF_ORDER = -1;

  /** The answer for an entry of another key, or whose version is not that of its value. */
  static final int TORN = -2;

  /** The bound of a segment that has one. */
  static final int MAX_ENTRIES = 3;

  /** Keys and values are less; the last byte of their encodings is twice the number. */
  private static final int MAX_NUMBERS = 64;

  private static final int HASH_SHIFT = 60;
  private static final Codec CODEC =
      new Codec(ClassAllowList.of(List.of()), RacedSegment.class.getClassLoader());
  private static final byte[][] ENCODED =
      IntStream.range(0, MAX_NUMBERS).mapToObj(CODEC::encodeKey).toArray(byte[][]::new);

  /** The length of each. */
  private static final int LENGTH = ENCODED[0].length;

  private final Container container;
  private final Object lock = new Object();

  /** Null without a bound. */
  private final @Nullable EvictionQueue queue;

  /** Null if the container keeps no entries, or there is no bound. */
  private final @Nullable DecodedObjectCache objects;

  /** Null as well. */
  private final @Nullable ValueHints hints;

  /** A bit for each key that was evicted, set before it leaves the container. */
  private volatile int evicted;

  /** Creates a segment with an entry of value 1 for each of these keys. */
  RacedSegment(int... keys) {
    RacedContainer kind = RacedContainer.ofThisProcess();
    container = kind.create();
    queue = kind.isBounded() ? new EvictionQueue(container) : null;
    objects =
        kind.isBounded() && container.keepsEntries()
            ? new DecodedObjectCache(CODEC, new MemoryAccount(Long.MAX_VALUE))
            : null;
    hints = objects == null ? null : objects.newHints(false);
    for (int key : keys) {
      put(key, 1);
    }
    // The first value that is remembered makes room for others only.
    remember(container.get(hash(keys[0]), ENCODED[keys[0]], 0, LENGTH));
  }

  /** Puts a value, which is positive and less than 64, and returns the one before. */
  int put(int key, int value) {
    byte[] bytes = ByteBuffer.allocate(2 * LENGTH).put(ENCODED[key]).put(ENCODED[value]).array();
    Entry entry = Entry.of(hash(key), bytes, LENGTH, 1, value, false, 0, null);
    synchronized (lock) {
      Entry before = container.get(hash(key), bytes, 0, LENGTH);
      if (objects != null && hints != null) {
        objects.keepWritten(entry, key, value, before, hints);
      }
      container.put(entry);
      if (queue != null) {
        keepBound(queue, before, entry);
      }
      return valueOf(key, before);
    }
  }

  private void keepBound(EvictionQueue order, @Nullable Entry before, Entry added) {
    if (before == null) {
      order.onAdded(added);
    } else {
      container.markUsed(added);
    }
    while (container.liveCount() > MAX_ENTRIES) {
      evictNext(order);
    }
  }

  /** Evicts an entry and returns the bit of its key; 0 if the queue knows of none. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only the holder of the lock writes.
  private int evictNext(EvictionQueue order) {
    Entry victim = order.pollVictim();
    if (victim == null) {
      return 0;
    }
    int bit = bitOf(victim);
    evicted |= bit;
    removeEntry(victim);
    return bit;
  }

  private void removeEntry(Entry entry) {
    if (objects != null) {
      objects.release(entry, hints);
    }
    if (!container.remove(entry)) {
      throw new IllegalStateException("present, but not removed: " + entry);
    }
  }

  /** A bit for each key that was evicted so far, or is about to be. */
  int evicted() {
    return evicted;
  }

  /** Whether all entries can be evicted, each once, and then none is left. */
  boolean evictAll() {
    synchronized (lock) {
      if (queue == null) {
        return false;
      }
      int left = container.liveCount();
      int seen = 0;
      for (int bit; (bit = evictNext(queue)) != 0; left--) {
        if ((seen & bit) != 0) {
          return false;
        }
        seen |= bit;
      }
      return left == 0 && container.liveCount() == 0;
    }
  }

  /** Removes an entry and returns its value. */
  int remove(int key) {
    synchronized (lock) {
      Entry found = container.get(hash(key), ENCODED[key], 0, LENGTH);
      if (found != null) {
        removeEntry(found);
      }
      return valueOf(key, found);
    }
  }

  /** Reads a value. */
  int get(int key) {
    return valueOf(key, find(key));
  }

  /** Finds an entry; if there is a bound, it is marked as used. */
  @Nullable Entry find(int key) {
    Entry found = container.get(hash(key), ENCODED[key], 0, LENGTH);
    if (queue != null && found != null) {
      container.markUsed(found);
    }
    return found;
  }

  /** Reads a value that is remembered, or else one that is found, and remembers it. */
  int getRemembered(int key) {
    if (objects == null || hints == null) {
      return get(key);
    }
    if (hints.find(key) instanceof Integer value) {
      return value;
    }
    Entry found = find(key);
    remember(found);
    return valueOf(key, found);
  }

  /** Remembers the value of an entry that was found, unless it was replaced or removed since. */
  void remember(@Nullable Entry found) {
    if (found != null && objects != null && hints != null) {
      var _ = objects.keyOf(found);
      var _ = objects.valueForCaller(found);
      if (hints.mayRemember(found)) {
        synchronized (lock) {
          hints.remember(found);
        }
      }
    }
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
          int bit = bitOf(entry);
          // An unsigned number is as large as its highest bit, which is the last key that came.
          seen[0] = bit > seen[0] ? seen[0] | bit : OUT_OF_ORDER;
          return seen[0] == OUT_OF_ORDER ? VisitResult.STOP_AFTER : VisitResult.CONTINUE;
        });
    return seen[0];
  }

  /** The value of an entry that was found for a key. */
  static int valueOf(int key, @Nullable Entry entry) {
    if (entry == null) {
      return NOTHING;
    }
    byte[] bytes = entry.bytes();
    int value = bytes[bytes.length - 1] / 2;
    return entry.index() == value && bitOf(entry) == 1 << key ? value : TORN;
  }

  private static int bitOf(Entry entry) {
    return 1 << (entry.bytes()[LENGTH - 1] / 2);
  }

  private static long hash(int key) {
    return (long) key << HASH_SHIFT;
  }
}
