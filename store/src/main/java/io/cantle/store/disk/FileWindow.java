package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The part of a file that was read last. It moves through the file as bytes are asked for, and
 * reads nothing again that it still has.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class FileWindow {
  private final DiskFile file;
  private final long end;
  private final int maxBytes;
  private int readBytes;
  private ByteBuffer bytes = ByteBuffer.allocate(0);
  private long offset;
  private int size;

  /**
   * Makes a window that is empty.
   *
   * @param end the offset behind the last byte that may be read
   * @param minBytes how many bytes to read at first, if they are not fewer than are asked for
   * @param maxBytes how many to read later; the number doubles each time until then
   */
  public FileWindow(DiskFile file, long end, int minBytes, int maxBytes) {
    this.file = file;
    this.end = end;
    this.readBytes = minBytes;
    this.maxBytes = maxBytes;
  }

  /**
   * Moves to an offset, unless the bytes from there on are here already.
   *
   * @return whether the file has so many bytes there
   * @throws IOException if it cannot be read
   */
  public boolean load(long from, int length) throws IOException {
    if (from >= offset && from + length <= offset + size) {
      return true;
    }
    if (from + length > end) {
      return false;
    }
    int wanted = (int) Math.min(Math.max(readBytes, length), end - from);
    readBytes = Math.min(maxBytes, 2 * readBytes);
    int kept = from < offset ? 0 : (int) Math.max(0, offset + size - from);
    bytes.clear().limit(size).position(size - kept);
    bytes =
        wanted > bytes.capacity()
            ? ByteBuffer.allocate(wanted).order(ByteOrder.LITTLE_ENDIAN).put(bytes)
            : bytes.compact().limit(wanted);
    offset = from;
    size = 0; // Until they are read, and if that fails.
    int _ = file.readFully(bytes, from + kept);
    size = bytes.flip().limit();
    return length <= size;
  }

  /** The bytes that are here; little-endian. */
  public ByteBuffer bytes() {
    return bytes;
  }

  /** Where the byte at an offset of the file is in {@link #bytes}. */
  public int indexOf(long place) {
    return (int) (place - offset);
  }
}
