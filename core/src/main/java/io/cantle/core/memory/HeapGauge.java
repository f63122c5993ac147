package io.cantle.core.memory;

import org.jspecify.annotations.Nullable;

/**
 * What the garbage collector says of a heap.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public interface HeapGauge {
  /** A heap without a limit, which is never collected. */
  HeapGauge UNLIMITED =
      new HeapGauge() {
        @Override
        public long maxBytes() {
          return Long.MAX_VALUE;
        }

        @Override
        public @Nullable Reading pollReading() {
          return null;
        }
      };

  /** The most bytes that objects can take which live long. */
  long maxBytes();

  /** What the latest collection has left; null if there was none since the last call. */
  @Nullable Reading pollReading();

  /**
   * What a collection has left.
   *
   * @param usedBytes the bytes of all objects that it has left
   * @param isComplete whether it has left nothing that is garbage; other collections leave some
   */
  record Reading(long usedBytes, boolean isComplete) {}
}
