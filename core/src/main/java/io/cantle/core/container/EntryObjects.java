package io.cantle.core.container;

import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.memory.ObjectLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The key and the value of an entry of which no bytes are kept. Nobody can change either. Their
 * bytes are made anew whenever they are asked for.
 *
 * <p>Another value may take the place of the present one ({@link HeapEntry#replaceObject}). Then
 * entries stay where they are in memory, close together, and a write makes no garbage.
 *
 * <p><b>Threading:</b> any thread reads; the value is replaced with the lock of the segment held.
 */
public final class EntryObjects implements EntryContent {
  private static final VarHandle VALUE =
      HeapEntry.field(MethodHandles.lookup(), "value", Object.class);

  /** Longer ones are kept as bytes, whose length is checked. */
  private static final int MAX_BYTES = 4 << 20;

  private static final int OWN_BYTES = ObjectLayout.objectBytes(3, 2 * Integer.BYTES);

  private final Codec codec;
  private final Object key;
  private final int keyBytes;
  private Object value;
  private int valueBytes;

  private EntryObjects(Codec codec, Object key, int keyBytes, Object value, int valueBytes) {
    this.codec = codec;
    this.key = key;
    this.keyBytes = keyBytes;
    this.value = value;
    this.valueBytes = valueBytes;
  }

  /** Returns a key and a value, if nobody can change them and their size is known; else null. */
  public static @Nullable EntryObjects of(Codec codec, Object key, Object value) {
    int keyBytes = heapBytes(codec, key);
    int valueBytes = heapBytes(codec, value);
    return keyBytes < 0 || valueBytes < 0 || keyBytes + valueBytes > MAX_BYTES
        ? null
        : new EntryObjects(codec, key, keyBytes, value, valueBytes);
  }

  /**
   * What an object that can be kept without bytes takes in the heap; -1 if it cannot, or is too
   * long.
   */
  private static int heapBytes(Codec codec, Object object) {
    long bytes = codec.isImmutable(object) ? codec.knownHeapBytes(object) : -1;
    return bytes > MAX_BYTES ? -1 : (int) bytes;
  }

  /**
   * What a value takes in the heap that needs no encoding to be written; -1 if it must be encoded.
   * Only encoding tells whether a class is allowed, and whether objects nest too deeply.
   */
  static int heapBytesUnencoded(Codec codec, Object value) {
    return value instanceof Record || value instanceof List || value instanceof Enum
        ? -1
        : heapBytes(codec, value);
  }

  /** The same value with the key object of the entry that it replaces, if that keeps one. */
  public EntryObjects withKeyOf(@Nullable Entry replaced) {
    Object before =
        replaced != null && replaced.hasObjectsOnly() ? ((HeapEntry) replaced).decodedKey() : null;
    return before == null ? this : new EntryObjects(codec, before, keyBytes, value, valueBytes);
  }

  /** The same key and value at this moment. */
  EntryObjects copy() {
    return new EntryObjects(codec, key, keyBytes, value(), valueBytes);
  }

  @Override
  public Object key() {
    return key;
  }

  /** The present value. */
  public Object value() {
    return VALUE.getAcquire(this);
  }

  /** What this object, the key and the value take in the heap. */
  int sizeBytes() {
    return OWN_BYTES + keyBytes + valueBytes;
  }

  /** What the value takes in the heap. */
  int valueBytes() {
    return valueBytes;
  }

  /** Whether a value of this size has room beside the key. */
  boolean hasRoomFor(int otherValueBytes) {
    return keyBytes + otherValueBytes <= MAX_BYTES;
  }

  /** Replaces the value. */
  void replaceValue(Object next, int nextBytes) {
    valueBytes = nextBytes;
    VALUE.setRelease(this, next);
  }

  @Override
  public byte[] bytes() {
    Object present = value();
    Output out = new Output(Codec.expectedBytes(key) + Codec.expectedBytes(present));
    codec.encodeKey(key, out);
    codec.encodeValue(present, out);
    return out.finish();
  }

  @Override
  public byte[] keyBytes() {
    return codec.encodeKey(key);
  }

  /** Whether an object is the key, as far as that can be said without its bytes. */
  @SuppressWarnings("ReferenceEquality") // Another object may be equal only by its own opinion.
  boolean hasKey(Object other) {
    return other == key
        || (ValueHints.accepts(other) && other.getClass() == key.getClass() && other.equals(key));
  }
}
