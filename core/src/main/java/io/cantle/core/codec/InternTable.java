package io.cantle.core.codec;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A cache from blocks of bytes to the objects they encode. The number of blocks is limited. A full
 * table accepts no more; other blocks are then decoded each time, which is slower but correct.
 *
 * <p><b>Threading:</b> any thread.
 */
final class InternTable<T> {
  private static final int MAX_BLOCKS = 4_096;
  private static final int BUCKET_COUNT = 1_024;

  private final AtomicReferenceArray<@Nullable InternedBlock<T>> buckets =
      new AtomicReferenceArray<>(BUCKET_COUNT);
  private final AtomicInteger count = new AtomicInteger();

  private record InternedBlock<T>(byte[] bytes, T value, @Nullable InternedBlock<T> next) {}

  /** Returns the object that a range of an array encodes, or null if it is not cached. */
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

  /** Adds a block. If two threads add the same block at once, both entries may stay. */
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

  /**
   * A few bytes of the whole range suffice: names differ at their end, and equality is checked
   * later.
   */
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
