package io.cantle.core.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.IntPredicate;

/**
 * A growing array of bytes to write into. Integers are big-endian when fixed and LEB128 when
 * variable. Whoever hands an output to a transport or a store gives it away: it is never reused.
 *
 * <p><b>Threading:</b> one thread at a time, its owner.
 */
public final class Output {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes;
  private int position;
  private int maxBytes = Integer.MAX_VALUE;
  private IntPredicate room = bytes -> true;

  /** An empty output with room for {@code capacityBytes} before it first grows. */
  public Output(int capacityBytes) {
    bytes = new byte[capacityBytes];
  }

  /**
   * From now on it holds so many bytes at most, or about as many as it has grown to already.
   *
   * @throws OutputFullException by whatever writes more
   */
  public void limit(int limitBytes) {
    maxBytes = limitBytes;
  }

  /**
   * From now on it asks before it takes more memory.
   *
   * @param mayGrow whether there is room for so many bytes besides those it has
   * @throws OutputFullException by whatever writes more than there is room for
   */
  public void room(IntPredicate mayGrow) {
    room = mayGrow;
  }

  /** The array behind; valid from 0 to {@link #position()} until the next write. */
  public byte[] array() {
    return bytes;
  }

  /** How many bytes were written. */
  public int position() {
    return position;
  }

  /** Goes back to an earlier position and forgets what was written after it. */
  public void truncate(int earlierPosition) {
    if (earlierPosition < 0 || earlierPosition > position) {
      throw new IllegalArgumentException(
          "position " + earlierPosition + " is not within 0.." + position);
    }
    position = earlierPosition;
  }

  /** A copy of what was written, exactly as long. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, position);
  }

  /** Reads what was written, from the start. */
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

  /** Overwrites four bytes written before, for lengths and counts known only afterwards. */
  public void patchInt(int at, int value) {
    if (at < 0 || at > position - Integer.BYTES) {
      throw new IllegalArgumentException("no four bytes were written at " + at);
    }
    INT.set(bytes, at, value);
  }

  /** Writes an unsigned number in one to ten bytes, the fewer the smaller it is. */
  public void writeVarint(long value) {
    ensureRoom(10);
    long remaining = value;
    while ((remaining & ~0x7FL) != 0) {
      bytes[position++] = (byte) (remaining | 0x80);
      remaining >>>= 7;
    }
    bytes[position++] = (byte) remaining;
  }

  /** Writes bytes without their length. */
  public void write(byte[] source, int offset, int length) {
    ensureRoom(length);
    System.arraycopy(source, offset, bytes, position, length);
    position += length;
  }

  /** Writes bytes without their length. */
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

  /** Writes a length and the UTF-8 form. */
  public void writeString(String value) {
    writeBlob(value.getBytes(StandardCharsets.UTF_8));
  }

  private void ensureRoom(int additional) {
    if (bytes.length - position < additional) {
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
}
