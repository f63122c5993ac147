package io.cantle.core.container;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * An entry in its block of memory.
 *
 * <p><b>Threading:</b> as {@link EntryBlock}.
 *
 * @param chunk the memory that has the block
 * @param at where in it the block begins
 */
record BlockEntry(MemorySegment chunk, long at) implements InPlaceEntry {
  @Override
  public int epoch() {
    return EntryBlock.epoch(chunk, at);
  }

  @Override
  public long index() {
    return EntryBlock.index(chunk, at);
  }

  @Override
  public boolean isTombstone() {
    return EntryBlock.isTombstone(chunk, at);
  }

  @Override
  public boolean isEvicted() {
    return EntryBlock.isEvicted(chunk, at);
  }

  @Override
  public boolean isExpiring() {
    return EntryBlock.isExpiring(chunk, at);
  }

  @Override
  public int valueLength() {
    return EntryBlock.valueLength(chunk, at);
  }

  @Override
  public byte valueByte(int index) {
    long value = EntryBlock.valueAt(chunk, at);
    return chunk.get(ValueLayout.JAVA_BYTE, value + Objects.checkIndex(index, valueLength()));
  }

  @Override
  public byte[] copyValueFrom(int index) {
    int length = valueLength();
    long value = EntryBlock.valueAt(chunk, at);
    return EntryBlock.copy(chunk, value + Objects.checkIndex(index, length + 1), length - index);
  }
}
