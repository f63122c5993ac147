package io.cantle.core.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads what an {@link Output} wrote, from a range of an array that is no longer modified. Every
 * read is checked against the end before anything is allocated. Bytes that do not fit are a {@link
 * MalformedException}.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class Input {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  /** More room than this is made when elements are there, not because a count says so. */
  private static final int MAX_PREALLOCATED = 1_024;

  private final byte[] bytes;
  private final int limit;
  private int position;
  private int version;

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

  /**
   * The array that is read from. Together with {@link #position()} it lets a caller copy or compare
   * bytes without an intermediate array.
   */
  public byte[] array() {
    return bytes;
  }

  /** The index in {@link #array()} of the byte read next. */
  public int position() {
    return position;
  }

  /** The version of the message that is read; 0 for what is no message, such as a file. */
  public int version() {
    return version;
  }

  /** Sets the version of what is read from here on. */
  public void setVersion(int messageVersion) {
    version = messageVersion;
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

  /** Reads two bytes. */
  public short readShort() {
    return (short) (readByte() << Byte.SIZE | readByte());
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

  /** Reads an unsigned number of variable length. */
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
   * Reads a number of variable length that must be within 0..{@code max}: a count, a length or an
   * index.
   */
  public int readCount(int max) {
    long value = readVarint();
    if (value < 0 || value > max) {
      throw new MalformedException("count " + Long.toUnsignedString(value) + " exceeds " + max);
    }
    return (int) value;
  }

  /** Reads a number of variable length that must be an {@code int} and not negative. */
  public int readCount() {
    return readCount(Integer.MAX_VALUE);
  }

  /** Reads the length of a blob and leaves the position at its first byte. */
  public int readBlobLength() {
    // The length takes some of the remaining bytes, so it is read before it is checked.
    int length = readCount();
    requireRemaining(length);
    return length;
  }

  /** Reads a length and that many bytes into a new array. */
  public byte[] readBlob() {
    return readBytes(readBlobLength());
  }

  /** Reads {@code length} bytes into a new array. */
  public byte[] readBytes(int length) {
    requireRemaining(length);
    byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return copy;
  }

  /** Reads a length and that many bytes of UTF-8. */
  public String readString() {
    return readString(Integer.MAX_VALUE);
  }

  /** Reads a length of at most {@code maxBytes} and that many bytes of UTF-8. */
  public String readString(int maxBytes) {
    int start = position;
    int length = readBlobLength();
    if (length > maxBytes) {
      throw new MalformedException(
          "a name of " + length + " bytes at " + start + ", where " + maxBytes + " is the limit");
    }
    String value = new String(bytes, position, length, StandardCharsets.UTF_8);
    position += length;
    return value;
  }

  /** Reads one of these constants, all of an enum, of which this byte is the position. */
  public <T extends Enum<T>> T readEnum(T[] constants) {
    int code = readByte();
    if (code >= constants.length) {
      String type = constants[0].getDeclaringClass().getSimpleName();
      throw new MalformedException(type.toLowerCase(Locale.ROOT) + " " + code + " is unknown");
    }
    return constants[code];
  }

  /** Reads a value if there is one. */
  public <T> @Nullable T readOptional(Function<Input, T> reader) {
    return readBoolean() ? reader.apply(this) : null;
  }

  /**
   * Reads a count and so many elements. Each takes at least one byte, so there are no more of them
   * than bytes left.
   */
  public <T> List<T> readList(Function<Input, T> element) {
    return readList(remaining(), element);
  }

  /** Reads a count of at most {@code max} and so many elements. */
  public <T> List<T> readList(int max, Function<Input, T> element) {
    return readElements(readCount(max), element);
  }

  /** Reads so many elements. */
  public <T> List<T> readElements(int count, Function<Input, T> element) {
    List<T> all = new ArrayList<>(Math.min(count, MAX_PREALLOCATED));
    for (int i = 0; i < count; i++) {
      all.add(element.apply(this));
    }
    return all;
  }

  /** Reads elements up to the end; most such lists have one. */
  public <T> List<T> readRest(Function<Input, T> element) {
    if (remaining() == 0) {
      return List.of();
    }
    T first = element.apply(this);
    if (remaining() == 0) {
      return List.of(first);
    }
    List<T> all = new ArrayList<>();
    all.add(first);
    while (remaining() > 0) {
      all.add(element.apply(this));
    }
    return all;
  }

  /** Returns a reader of the next {@code length} bytes. This reader continues after them. */
  public Input slice(int length) {
    requireRemaining(length);
    Input slice = new Input(bytes, position, length);
    slice.version = version;
    position += length;
    return slice;
  }

  /** Skips bytes. */
  public void skip(int length) {
    requireRemaining(length);
    position += length;
  }

  /** Reads the byte that says in which format the rest is, and refuses all but one. */
  public void requireFormat(int known) {
    int format = readByte();
    if (format != known) {
      throw new MalformedException("format " + format + ", this node reads " + known);
    }
  }

  /** Refuses bytes that are left after what was read, which the message names. */
  public void requireEndOf(String whole) {
    if (position < limit) {
      throw new MalformedException((limit - position) + " bytes follow the end of " + whole);
    }
  }

  /** Returns a message that was read, and refuses bytes that are left after it. */
  public <T> T requireEndAfter(T message) {
    requireEndOf("a message");
    return message;
  }

  private void requireRemaining(int length) {
    if (length < 0 || length > limit - position) {
      throw new MalformedException(
          length + " bytes needed, but only " + (limit - position) + " are left");
    }
  }
}
