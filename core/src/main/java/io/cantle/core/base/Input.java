package io.cantle.core.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/**
 * Reads what an {@link Output} wrote, out of a part of an array that nobody changes any more. Every
 * read is checked against the end before anything is allocated; what does not fit is a {@link
 * MalformedException}.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class Input {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] bytes;
  private final int limit;
  private int position;

  /** Reads {@code length} bytes from {@code offset} on. */
  public Input(byte[] bytes, int offset, int length) {
    if (offset < 0 || length < 0 || offset > bytes.length - length) {
      throw new IllegalArgumentException(
          "range " + offset + "+" + length + " is not within an array of " + bytes.length);
    }
    this.bytes = bytes;
    this.position = offset;
    this.limit = offset + length;
  }

  /** Reads a whole array. */
  public Input(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  /** The array behind; with {@link #position()} a way to copy or compare without a detour. */
  public byte[] array() {
    return bytes;
  }

  /** The index in {@link #array()} of the byte read next. */
  public int position() {
    return position;
  }

  /** How many bytes are left. */
  public int remaining() {
    return limit - position;
  }

  /** Reads one byte as 0..255. */
  public int readByte() {
    requireRemaining(1);
    return bytes[position++] & 0xFF;
  }

  /** Reads a byte that must be 0 or 1. */
  public boolean readBoolean() {
    int value = readByte();
    if (value > 1) {
      throw new MalformedException("a boolean is 0 or 1, not " + value);
    }
    return value == 1;
  }

  /** Reads four bytes. */
  public int readInt() {
    requireRemaining(Integer.BYTES);
    int value = (int) INT.get(bytes, position);
    position += Integer.BYTES;
    return value;
  }

  /** Reads eight bytes. */
  public long readLong() {
    requireRemaining(Long.BYTES);
    long value = (long) LONG.get(bytes, position);
    position += Long.BYTES;
    return value;
  }

  /** Reads an identifier of sixteen bytes. */
  public UUID readId() {
    return new UUID(readLong(), readLong());
  }

  /** Reads a variable-length unsigned number. */
  public long readVarint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = readByte();
      if (shift == 63 && next > 1) {
        throw new MalformedException("a variable-length number has more than 64 bits");
      }
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw new MalformedException("a variable-length number is longer than ten bytes");
  }

  /**
   * Reads a variable-length number that must lie in 0..{@code max}: a count, a length, an index.
   */
  public int readCount(int max) {
    long value = readVarint();
    if (value < 0 || value > max) {
      throw new MalformedException("count " + Long.toUnsignedString(value) + " exceeds " + max);
    }
    return (int) value;
  }

  /** Reads the length of a blob and leaves the position at its first byte. */
  public int readBlobLength() {
    // What is left is known only after the length was read.
    int length = readCount(Integer.MAX_VALUE);
    requireRemaining(length);
    return length;
  }

  /** Reads a length and that many bytes into an array of their own. */
  public byte[] readBlob() {
    return readBytes(readBlobLength());
  }

  /** Reads {@code length} bytes into an array of their own. */
  public byte[] readBytes(int length) {
    requireRemaining(length);
    byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return copy;
  }

  /** Reads a length and that many bytes of UTF-8. */
  public String readString() {
    int length = readBlobLength();
    String value = new String(bytes, position, length, StandardCharsets.UTF_8);
    position += length;
    return value;
  }

  /** A reader of the next {@code length} bytes; this one continues behind them. */
  public Input slice(int length) {
    requireRemaining(length);
    Input slice = new Input(bytes, position, length);
    position += length;
    return slice;
  }

  /** Skips bytes. */
  public void skip(int length) {
    requireRemaining(length);
    position += length;
  }

  private void requireRemaining(int length) {
    if (length < 0 || length > limit - position) {
      throw new MalformedException(
          length + " bytes wanted where " + (limit - position) + " are left");
    }
  }
}
