package io.cantle.core.container;

import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.memory.ObjectLayout;
import org.jspecify.annotations.Nullable;

/**
 * The key and the value of an entry of which no bytes are kept. Nobody can change either. Their
 * bytes are made anew whenever they are asked for.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param codec encodes them
 * @param sizeBytes what this object and both of these take in the heap
 */
public record EntryObjects(Codec codec, Object key, Object value, int sizeBytes)
    implements EntryContent {
  /** Longer ones are kept as bytes, whose length is checked. */
  private static final int MAX_BYTES = 4 << 20;

  private static final int OWN_BYTES = ObjectLayout.objectBytes(3, Integer.BYTES);

  /** Returns a key and a value, if nobody can change them and their size is known; else null. */
  public static @Nullable EntryObjects of(Codec codec, Object key, Object value) {
    if (!codec.isImmutable(key) || !codec.isImmutable(value)) {
      return null;
    }
    long keyBytes = codec.knownHeapBytes(key);
    long valueBytes = codec.knownHeapBytes(value);
    return keyBytes < 0 || valueBytes < 0 || keyBytes + valueBytes > MAX_BYTES
        ? null
        : new EntryObjects(codec, key, value, (int) (OWN_BYTES + keyBytes + valueBytes));
  }

  /** The same value with the key object of the entry that it replaces, if that keeps one. */
  public EntryObjects withKeyOf(@Nullable Entry replaced) {
    Object before =
        replaced != null && replaced.hasObjectsOnly() ? ((HeapEntry) replaced).decodedKey() : null;
    return before == null ? this : new EntryObjects(codec, before, value, sizeBytes);
  }

  @Override
  public byte[] bytes() {
    Output out = new Output(Codec.expectedBytes(key) + Codec.expectedBytes(value));
    codec.encodeKey(key, out);
    codec.encodeValue(value, out);
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
