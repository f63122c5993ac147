package io.cantle.core.base;

/**
 * A part of an array that nobody changes any more.
 *
 * <p><b>Threading:</b> immutable as long as the array is left alone.
 *
 * @param bytes the array
 * @param offset where the part begins
 * @param length how long it is
 */
public record ByteSlice(byte[] bytes, int offset, int length) {

  /** A whole array. */
  public static ByteSlice of(byte[] bytes) {
    return new ByteSlice(bytes, 0, bytes.length);
  }

  /** Reads a length and that many bytes, without copying them. */
  public static ByteSlice read(Input in) {
    int length = in.readBlobLength();
    ByteSlice slice = new ByteSlice(in.array(), in.position(), length);
    in.skip(length);
    return slice;
  }

  /** Writes the length and the bytes. */
  public void write(Output out) {
    out.writeBlob(bytes, offset, length);
  }

  /** Both parts one after the other, in an array of their own. */
  public byte[] concat(ByteSlice other) {
    byte[] both = new byte[length + other.length];
    System.arraycopy(bytes, offset, both, 0, length);
    System.arraycopy(other.bytes, other.offset, both, length, other.length);
    return both;
  }

  /** The part in an array of its own. */
  public byte[] toByteArray() {
    byte[] copy = new byte[length];
    System.arraycopy(bytes, offset, copy, 0, length);
    return copy;
  }
}
