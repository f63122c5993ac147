package io.cantle.store.log;

import java.nio.ByteBuffer;

/**
 * A record that is appended to the log. The log stores the fields of its header for the store and
 * interprets none of them; {@code key}, {@code metadata} and {@code value} are bytes to it.
 *
 * <p><b>Threading:</b> immutable as long as nothing writes into the arrays.
 *
 * @param type the kind of record, 1 to 127, as the store numbers them
 * @param cache the number of a cache, 0 to 65,535
 * @param segment the segment, 0 to 65,535
 * @param incarnation the incarnation of the segment that this belongs to
 * @param epoch the first half of the entry's version
 * @param index the second half of the entry's version
 * @param expiry when the entry expires, in the store's time; 0 for never
 * @param key the key
 * @param metadata bytes kept beside the value, at most 65,535
 * @param value the value
 */
public record LogRecord(
    byte type,
    int cache,
    int segment,
    long incarnation,
    long epoch,
    long index,
    long expiry,
    byte[] key,
    byte[] metadata,
    byte[] value) {

  /** The length of the header in front of key, metadata and value. */
  public static final int HEADER_BYTES = 64;

  private static final int MAX_SHORT = 0xFFFF;
  private static final byte[] NOTHING = {};

  /** Checks that every field fits into the header. */
  public LogRecord {
    LogOptions.requireWithin("type", type, 1, Byte.MAX_VALUE);
    LogOptions.requireWithin("cache", cache, 0, MAX_SHORT);
    LogOptions.requireWithin("segment", segment, 0, MAX_SHORT);
    LogOptions.requireWithin("metadata length", metadata.length, 0, MAX_SHORT);
  }

  /** A record of this type that is a key and a value. */
  public static LogRecord of(byte type, byte[] key, byte[] value) {
    return new LogRecord(type, 0, 0, 0, 0, 0, 0, key, NOTHING, value);
  }

  /**
   * How many bytes it takes in a file, padding included; a {@code long}, because a record that is
   * too long may exceed an {@code int}.
   */
  public long paddedLength() {
    return padTo8((long) HEADER_BYTES + key.length + metadata.length + value.length);
  }

  /**
   * Puts key, metadata and value one after the other into a buffer, and zeros up to the end of the
   * record, which is a multiple of 8 after the offset.
   *
   * @return the offset behind the value
   */
  public static int putBody(ByteBuffer to, int at, byte[] key, byte[] metadata, byte[] value) {
    int end = at + key.length + metadata.length;
    to.put(at, key).put(at + key.length, metadata).put(end, value);
    end += value.length;
    for (int padding = end; padding < at + padTo8(end - at); padding++) {
      to.put(padding, (byte) 0);
    }
    return end;
  }

  /** Rounds a length up to a multiple of 8. */
  public static long padTo8(long length) {
    return (length + 7) & -8L;
  }
}
