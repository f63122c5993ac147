package io.cantle.store.log;

/**
 * What is appended. The log keeps the fields of the head for the store and understands none of
 * them; {@code key}, {@code metadata} and {@code value} are bytes to it.
 *
 * <p><b>Threading:</b> immutable as long as nobody writes into the arrays.
 *
 * @param type what kind of record this is, 1 to 127, as the store numbers them
 * @param flags eight bits of the store
 * @param cache the number of a cache, 0 to 65,535
 * @param segment the segment, 0 to 65,535
 * @param incarnation which life of the segment this belongs to
 * @param epoch first half of the entry's version
 * @param index second half of the entry's version
 * @param expiry when the entry is no longer there, as the store counts time; 0 for never
 * @param key the key
 * @param metadata whatever is kept beside the value, at most 65,535 bytes
 * @param value the value
 */
public record LogRecord(
    byte type,
    byte flags,
    int cache,
    int segment,
    long incarnation,
    long epoch,
    long index,
    long expiry,
    byte[] key,
    byte[] metadata,
    byte[] value) {

  /** How long the head in front of key, metadata and value is. */
  public static final int HEADER_BYTES = 64;

  private static final int MAX_SHORT = 0xFFFF;
  private static final byte[] NOTHING = {};

  /** Checks what the head has room for. */
  public LogRecord {
    if (type < 1) {
      throw new IllegalArgumentException("type " + type + " is not within 1..127");
    }
    requireShort("cache", cache);
    requireShort("segment", segment);
    requireShort("metadata length", metadata.length);
  }

  /** A record of this type that is a key and a value. */
  public static LogRecord of(byte type, byte[] key, byte[] value) {
    return new LogRecord(type, (byte) 0, 0, 0, 0, 0, 0, 0, key, NOTHING, value);
  }

  /** How long it is in a file, padding included; more than an {@code int} for what cannot fit. */
  public long paddedLength() {
    return padTo8((long) HEADER_BYTES + key.length + metadata.length + value.length);
  }

  static long padTo8(long length) {
    return (length + 7) & -8L;
  }

  private static void requireShort(String field, int value) {
    if (value < 0 || value > MAX_SHORT) {
      throw new IllegalArgumentException(field + " " + value + " is not within 0.." + MAX_SHORT);
    }
  }
}
