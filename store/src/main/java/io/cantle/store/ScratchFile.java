package io.cantle.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A temporary file for data that does not fit into memory. Its name is removed as soon as it is
 * open, so the file is gone with this object or its process, however they end.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class ScratchFile implements AutoCloseable {
  private final FileChannel channel;
  private long length;

  private ScratchFile(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Creates a file in the system's directory for temporary files, {@code java.io.tmpdir}.
   *
   * @throws IOException if it cannot be created
   */
  public static ScratchFile createTemporary() throws IOException {
    return openUnlinked(Files.createTempFile("cantle-", ".scratch"));
  }

  /**
   * Creates a file in this directory.
   *
   * @throws IOException if it cannot be created
   */
  public static ScratchFile createIn(Path directory) throws IOException {
    return openUnlinked(Files.createTempFile(directory, "cantle-", ".scratch"));
  }

  private static ScratchFile openUnlinked(Path path) throws IOException {
    try {
      return new ScratchFile(
          FileChannel.open(
              path,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE));
    } finally {
      // Where the system cannot remove the name of an open file, closing the file removes it.
      boolean _ = Files.deleteIfExists(path);
    }
  }

  /** The length of the file in bytes. */
  public long length() {
    return length;
  }

  /**
   * Appends the remaining bytes of a buffer.
   *
   * @throws IOException if the disk is full, for instance
   */
  public void append(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      length += channel.write(bytes, length);
    }
  }

  /**
   * Fills a buffer with what was written at an offset.
   *
   * @throws IOException if it cannot be read, or the file ends before the buffer is full
   */
  public void read(long place, ByteBuffer into) throws IOException {
    long position = place;
    while (into.hasRemaining()) {
      int read = channel.read(into, position);
      if (read < 0) {
        throw new EOFException(
            "a temporary file of %s bytes has nothing at offset %s, which is beyond its end"
                .formatted(length, position));
      }
      position += read;
    }
  }

  /**
   * Gives its space back.
   *
   * @throws IOException if it cannot be closed
   */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
