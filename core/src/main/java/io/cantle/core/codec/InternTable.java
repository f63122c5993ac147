package io.cantle.core.codec;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of bytes met before and what they stand for. The number of blocks is limited, and a full
 * table takes no more: then blocks are decoded each time, which is slower and not wrong.
 *
 * <p><b>Threading:</b> any thread.
 */
final class InternTable<T> {
  private static final int MAX_BLOCKS = 4_096;
  private static final int BUCKETS = 1_024;

  private final AtomicReferenceArray<@Nullable InternedBlock<T>> buckets =
      new AtomicReferenceArray<>(BUCKETS);
  private final AtomicInteger count = new AtomicInteger();

  private static final class InternedBlock<T> {
    final byte[] bytes;
    final T value;
    final @Nullable InternedBlock<T> next;

    InternedBlock(byte[] bytes, T value, @Nullable InternedBlock<T> next) {
      this.bytes = bytes;
      this.value = value;
      this.next = next;
    }
  }

  /** What a part of an array stands for; null when it was not met before. */
  @Nullable T find(byte[] bytes, int offset, int length) {
    for (InternedBlock<T> block = buckets.getAcquire(bucket(bytes, offset, length));
        block != null;
        block = block.next) {
      if (Arrays.equals(bytes, offset, offset + length, block.bytes, 0, block.bytes.length)) {
        return block.value;
      }
    }
    return null;
  }

  /** Remembers a block; of two threads that do so at once, both blocks may stay. */
  void add(byte[] bytes, T meaning) {
    if (count.get() >= MAX_BLOCKS) {
      return;
    }
    int bucket = bucket(bytes, 0, bytes.length);
    while (true) {
      InternedBlock<T> next = buckets.get(bucket);
      if (buckets.compareAndSet(bucket, next, new InternedBlock<>(bytes, meaning, next))) {
        count.incrementAndGet();
        return;
      }
    }
  }

  /** A few bytes of each part will do: names differ at their end, and equality is checked. */
  private static int bucket(byte[] bytes, int offset, int length) {
    int hash = length;
    int step = Math.max(1, length / 8);
    for (int i = length - 1; i >= 0; i -= step) {
      hash = hash * 31 + bytes[offset + i];
    }
    hash *= 0x9E37_79B9;
    return hash >>> (Integer.SIZE - 10);
  }
}
