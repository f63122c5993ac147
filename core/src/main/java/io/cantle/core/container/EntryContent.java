package io.cantle.core.container;

import io.cantle.core.memory.ObjectLayout;
import org.jspecify.annotations.Nullable;

/**
 * What an entry on the heap refers to if that is more than its bytes. It is replaced as a whole.
 *
 * <p><b>Threading:</b> immutable.
 */
sealed interface EntryContent permits EntryContent.Decoded, EntryContent.Evicted, EntryObjects {
  /** The key, followed by the value unless that is evicted. */
  byte[] bytes();

  /** An array that begins with the key. */
  default byte[] keyBytes() {
    return bytes();
  }

  /** The decoded key; null if it is not kept. */
  @Nullable Object key();

  /** Bytes with what is kept decoded; an {@link UnsharedValue} is for streams. */
  record Decoded(byte[] bytes, @Nullable Object key, @Nullable Object value)
      implements EntryContent {
    /** What an object of this class takes. */
    static final int SIZE_BYTES = ObjectLayout.objectBytes(3, 0);
  }

  /** A key whose value is on disk only. */
  record Evicted(byte[] bytes, @Nullable Object key, int valueLength) implements EntryContent {
    /** What an object of this class takes. */
    static final int SIZE_BYTES = ObjectLayout.objectBytes(2, Integer.BYTES);
  }
}
