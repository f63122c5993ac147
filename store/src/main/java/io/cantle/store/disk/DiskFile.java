package io.cantle.store.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file. After an exception of {@link #write} or {@link #force} nothing is known about bytes
 * that were not durable before. A second {@code force} may succeed without having written them, so
 * the writer must give up.
 *
 * <p><b>Threading:</b> any thread reads; one at a time writes and forces.
 */
public interface DiskFile extends Closeable {

  /**
   * The length of the file in bytes.
   *
   * @throws IOException if it cannot be found out
   */
  long length() throws IOException;

  /** Whether each write is durable when it returns, so that it needs no {@link #force}. */
  boolean isDurable();

  /**
   * Reads from an offset into the remaining space of a buffer; may read less than fits.
   *
   * @return how many bytes were read, at least 1; or -1 at the end of the file
   * @throws java.nio.channels.ClosedChannelException if it is closed
   * @throws IOException if they cannot be read
   */
  int read(ByteBuffer into, long place) throws IOException;

  /**
   * Writes the remaining bytes of a buffer at an offset; may write fewer.
   *
   * @param syncPoint what the write is for, if it is durable when it returns
   * @return how many bytes were written, at least 1
   * @throws IOException if they cannot be written
   */
  int write(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException;

  /**
   * Makes durable everything that was written, and the length.
   *
   * @throws IOException if that failed; see the description of this interface
   */
  void force(SyncPoint syncPoint) throws IOException;

  /**
   * Fills the remaining space of a buffer from an offset, or up to the end of the file.
   *
   * @return how many bytes were read
   * @throws IOException if they cannot be read
   */
  default int readFully(ByteBuffer into, long place) throws IOException {
    int total = 0;
    while (into.hasRemaining()) {
      int read = read(into, place + total);
      if (read <= 0) {
        break;
      }
      total += read;
    }
    return total;
  }

  /**
   * Writes all remaining bytes of a buffer at an offset.
   *
   * @throws IOException if they cannot be written, or the disk writes nothing
   */
  default void writeFully(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
    long at = place;
    while (from.hasRemaining()) {
      int written = write(from, at, syncPoint);
      if (written <= 0) {
        throw new IOException("the disk wrote none of " + from.remaining() + " bytes at " + at);
      }
      at += written;
    }
  }

  /**
   * Writes all remaining bytes of a buffer at an offset, and makes them durable.
   *
   * @throws IOException if that failed; see the description of this interface
   */
  default void writeDurably(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
    writeFully(from, place, syncPoint);
    if (!isDurable()) {
      force(syncPoint);
    }
  }

  @Override
  void close() throws IOException;
}
