package io.cantle.core.memory;

import org.jspecify.annotations.Nullable;

/** A heap that is collected when a test says so. */
public final class ManualHeapGauge implements HeapGauge {
  private final long maxBytes;
  private @Nullable Reading next;

  public ManualHeapGauge(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Has the next poll find that a collection has left this much, and perhaps garbage. */
  public void collect(long usedBytes, boolean isComplete) {
    next = new Reading(usedBytes, isComplete);
  }

  @Override
  public long maxBytes() {
    return maxBytes;
  }

  @Override
  public @Nullable Reading pollReading() {
    Reading reading = next;
    next = null;
    return reading;
  }
}
