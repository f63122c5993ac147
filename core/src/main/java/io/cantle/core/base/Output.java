package io.cantle.core.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A growable byte array to write into. Fixed-length integers are big-endian, variable-length ones
 * are LEB128. An output that is passed to a transport or a store belongs to it from then on, and is
 * never reused.
 *
 * <p><b>Threading:</b> one thread at a time, its owner.
 */
public final class Output {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private final int version;
  private byte[] bytes;
  private int position;
  private int maxBytes = Integer.MAX_VALUE;
  private IntPredicate room = bytes -> true;

  /** Creates an empty output that holds {@code capacityBytes} before it first grows. */
  public Output(int capacityBytes) {
    this(capacityBytes, 0);
  }

  /**
   * Creates an empty output for a message, or a part of one.
   *
   * @param version the version of the message
   */
  public Output(int capacityBytes, int version) {
    this.version = version;
    bytes = new byte[capacityBytes];
  }

  /** The version of the message that is written; 0 for what is no message, such as a file. */
  public int version() {
    return version;
  }

  /**
   * Limits the output to {@code limitBytes} from now on. An array that has already grown larger may
   * be filled.
   *
   * @throws OutputFullException thrown by a later write that exceeds the limit
   */
  public void limit(int limitBytes) {
    maxBytes = limitBytes;
  }

  /**
   * Has the output ask for permission before it allocates more memory from now on.
   *
   * @param mayGrow whether so many bytes may be allocated in addition to those already held
   * @throws OutputFullException thrown by a later write if the permission is refused
   */
  public void growIf(IntPredicate mayGrow) {
    room = mayGrow;
  }

  /** The underlying array; valid from 0 to {@link #position()} until the next write. */
  public byte[] array() {
    return bytes;
  }

  /** The number of bytes written. */
  public int position() {
    return position;
  }

  /** Goes back to an earlier position and discards what was written after it. */
  public void truncate(int earlierPosition) {
    if (earlierPosition < 0 || earlierPosition > position) {
      throw new IllegalArgumentException(
          "position " + earlierPosition + " is not within 0.." + position);
    }
    position = earlierPosition;
  }

  /** Returns a copy of what was written, in an array of exactly that length. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, position);
  }

  /**
   * Returns what was written, in an array of exactly that length: the array that it was written to,
   * if that is full. Nothing may be written afterwards.
   */
  public byte[] finish() {
    return position == bytes.length ? bytes : toByteArray();
  }

  /** Returns what was written, preceded by its length. */
  public byte[] toBlob() {
    Output blob = new Output(position + 2);
    blob.writeBlob(bytes, 0, position);
    return blob.toByteArray();
  }

  /** Returns a reader of what was written, from the start. */
  public Input toInput() {
    return new Input(bytes, 0, position);
  }

  /** Writes the low eight bits. */
  public void writeByte(int value) {
    ensureRoom(1);
    bytes[position++] = (byte) value;
  }

  /** Writes 1 or 0. */
  public void writeBoolean(boolean value) {
    writeByte(value ? 1 : 0);
  }

  /** Writes four bytes. */
  public void writeInt(int value) {
    ensureRoom(Integer.BYTES);
    INT.set(bytes, position, value);
    position += Integer.BYTES;
  }

  /** Writes eight bytes. */
  public void writeLong(long value) {
    ensureRoom(Long.BYTES);
    LONG.set(bytes, position, value);
    position += Long.BYTES;
  }

  /** Writes an identifier in sixteen bytes. */
  public void writeId(UUID id) {
    writeLong(id.getMostSignificantBits());
    writeLong(id.getLeastSignificantBits());
  }

  /**
   * Overwrites four bytes written before, for lengths and counts that are known only afterwards.
   */
  public void patchInt(int at, int value) {
    if (at < 0 || at > position - Integer.BYTES) {
      throw new IllegalArgumentException("no four bytes were written at " + at);
    }
    INT.set(bytes, at, value);
  }

  /** Writes an unsigned number in one to ten bytes; smaller numbers take fewer. */
  public void writeVarint(long value) {
    if ((value & ~0x7FL) == 0) {
      writeByte((int) value);
      return;
    }
    ensureRoom(10);
    long remaining = value;
    while ((remaining & ~0x7FL) != 0) {
      bytes[position++] = (byte) (remaining | 0x80);
      remaining >>>= 7;
    }
    bytes[position++] = (byte) remaining;
  }

  /** How many bytes {@link #writeVarint} takes for a number. */
  public static int varintBytes(int value) {
    return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** Writes bytes without a length. */
  public void write(byte[] source, int offset, int length) {
    ensureRoom(length);
    System.arraycopy(source, offset, bytes, position, length);
    position += length;
  }

  /** Writes bytes without a length. */
  public void write(byte[] source) {
    write(source, 0, source.length);
  }

  /** Writes a length and the bytes. */
  public void writeBlob(byte[] source, int offset, int length) {
    writeVarint(length);
    write(source, offset, length);
  }

  /** Writes a length and the bytes. */
  public void writeBlob(byte[] source) {
    writeBlob(source, 0, source.length);
  }

  /** Writes a length and the text in UTF-8. */
  public void writeString(String value) {
    writeBlob(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes a length and the text, all of whose characters must be ASCII. */
  @SuppressWarnings("deprecation") // It drops the high bytes of characters, which are 0 here.
  public void writeAscii(String value) {
    int length = value.length();
    writeVarint(length);
    ensureRoom(length);
    value.getBytes(0, length, bytes, position);
    position += length;
  }

  /** Writes a constant as its position, so that the order of its enum is the format. */
  @SuppressWarnings("EnumOrdinal")
  public void writeEnum(Enum<?> constant) {
    writeByte(constant.ordinal());
  }

  /** Writes whether there is a value, and the value if there is one. */
  public <T> void writeOptional(@Nullable T value, Consumer<T> writer) {
    writeBoolean(value != null);
    if (value != null) {
      writer.accept(value);
    }
  }

  /** Writes the number of elements, and each of them. */
  public <T extends @Nullable Object> void writeList(
      Collection<T> elements, Consumer<? super T> writer) {
    writeVarint(elements.size());
    elements.forEach(writer);
  }

  private void ensureRoom(int additional) {
    if (bytes.length - position < additional) {
      grow(additional);
    }
  }

  private void grow(int additional) {
    int requiredBytes = Math.addExact(position, additional);
    if (requiredBytes > maxBytes) {
      throw new OutputFullException(maxBytes);
    }
    int doubled = bytes.length > Integer.MAX_VALUE / 2 - 8 ? requiredBytes : bytes.length * 2;
    int length = Math.max(requiredBytes, Math.min(doubled, maxBytes));
    if (!room.test(length - bytes.length)) {
      throw new OutputFullException(bytes.length);
    }
    bytes = Arrays.copyOf(bytes, length);
  }
}
