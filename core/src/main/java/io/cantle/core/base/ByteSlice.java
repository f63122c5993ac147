package io.cantle.core.base;

import java.util.Arrays;

/**
 * A range of bytes in an array that is no longer modified. It lets keys and values be passed on
 * without copying them out of a message.
 *
 * <p><b>Threading:</b> immutable, provided that the array is not modified.
 *
 * @param bytes the array
 * @param offset the index of the first byte of the range
 * @param length the length of the range in bytes
 */
public record ByteSlice(byte[] bytes, int offset, int length) {

  /** Returns a slice of the whole array. */
  public static ByteSlice of(byte[] bytes) {
    return new ByteSlice(bytes, 0, bytes.length);
  }

  /** Reads a length and that many bytes, without copying the bytes. */
  public static ByteSlice read(Input in) {
    int length = in.readBlobLength();
    ByteSlice slice = new ByteSlice(in.array(), in.position(), length);
    in.skip(length);
    return slice;
  }

  /** Reads all bytes that are left, without copying them. */
  public static ByteSlice readRest(Input in) {
    ByteSlice rest = new ByteSlice(in.array(), in.position(), in.remaining());
    in.skip(rest.length());
    return rest;
  }

  /** Returns a reader of the bytes. */
  public Input toInput() {
    return new Input(bytes, offset, length);
  }

  /** Writes the length and the bytes. */
  public void write(Output out) {
    out.writeBlob(bytes, offset, length);
  }

  /**
   * Returns the bytes of this slice followed by those of another: in the array of both, if they are
   * its two parts, otherwise in a new one.
   */
  @SuppressWarnings("ReferenceEquality") // Only parts of the same array follow each other in it.
  public byte[] concat(ByteSlice other) {
    if (bytes == other.bytes
        && offset == 0
        && length == other.offset
        && length + other.length == bytes.length) {
      return bytes;
    }
    byte[] both = new byte[length + other.length];
    System.arraycopy(bytes, offset, both, 0, length);
    System.arraycopy(other.bytes, other.offset, both, length, other.length);
    return both;
  }

  /** Returns a copy of the bytes in a new array. */
  public byte[] toByteArray() {
    return Arrays.copyOfRange(bytes, offset, offset + length);
  }
}
