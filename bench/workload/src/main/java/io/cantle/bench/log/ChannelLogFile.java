package io.cantle.bench.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file on the disk that is filled with zeros first, and overwritten from the beginning again when
 * its end is reached. It bypasses the page cache, with the sync in the write, where the file system
 * supports that. That is what a disk can do with one writer.
 *
 * <p><b>Threading:</b> guarded by its log.
 */
final class ChannelLogFile implements LogFile {
  /** The name of the file in its folder. */
  static final String NAME = "log";

  private static final long PREALLOCATED_BYTES = 64L << 20;
  private static final int ZEROS_BYTES = 1 << 20;

  private final FileChannel channel;
  private final WriteMode sink;
  private final int blockBytes;
  private ByteBuffer buffer;
  private long position;
  private long syncs;
  private @Nullable IOException failure;

  private ChannelLogFile(FileChannel channel, WriteMode sink, int blockBytes) {
    this.channel = channel;
    this.sink = sink;
    this.blockBytes = blockBytes;
    buffer = alignedBuffer(blockBytes, blockBytes);
  }

  /**
   * Creates a file of zeros, opened in the best way its file system supports.
   *
   * @param synced whether it will be synced, so that a write may be the sync as well
   */
  static ChannelLogFile preallocated(Path folder, boolean synced) throws IOException {
    Path path = folder.resolve(NAME);
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS_BYTES);
      for (long position = 0; position < PREALLOCATED_BYTES; position += ZEROS_BYTES) {
        writeFully(channel, zeros.clear(), position);
      }
      channel.force(true);
    }
    int blockBytes = Math.toIntExact(Files.getFileStore(folder).getBlockSize());
    FileChannel direct = synced ? openDirect(path, blockBytes) : null;
    return direct != null
        ? new ChannelLogFile(direct, WriteMode.DIRECT, blockBytes)
        : new ChannelLogFile(
            FileChannel.open(path, StandardOpenOption.WRITE), WriteMode.PREALLOCATED, 1);
  }

  /** Opens with direct I/O; null where the file system refuses that, at open or at a write. */
  private static @Nullable FileChannel openDirect(Path path, int blockBytes) throws IOException {
    FileChannel channel;
    try {
      channel =
          FileChannel.open(
              path, StandardOpenOption.WRITE, StandardOpenOption.DSYNC, directOption());
    } catch (IOException | ReflectiveOperationException | UnsupportedOperationException refused) {
      return null;
    }
    try {
      writeFully(channel, alignedBuffer(blockBytes, blockBytes), 0);
      return channel;
    } catch (IOException refused) {
      channel.close();
      return null;
    }
  }

  /**
   * Returns the option for direct I/O. It is part of the JDK but not of Java SE, and javac warns of
   * its name.
   */
  private static OpenOption directOption() throws ReflectiveOperationException {
    Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
    return (OpenOption) options.getField("DIRECT").get(null);
  }

  /** Returns which form it has. */
  WriteMode sink() {
    return sink;
  }

  @Override
  public void write(List<byte[]> records) throws IOException {
    requireUsable();
    int size = 0;
    for (byte[] record : records) {
      size += record.length;
    }
    // Direct I/O can write only whole blocks.
    int padded = Math.ceilDiv(size, blockBytes) * blockBytes;
    if (buffer.capacity() < padded) {
      buffer = alignedBuffer(Math.max(padded, 2 * buffer.capacity()), blockBytes);
    }
    buffer.clear();
    records.forEach(buffer::put);
    buffer.position(padded).flip();
    if (position + padded > PREALLOCATED_BYTES) {
      position = 0;
    }
    try {
      writeFully(channel, buffer, position);
    } catch (IOException broken) {
      failure = broken;
      throw broken;
    }
    position += padded;
  }

  @Override
  public void sync() throws IOException {
    requireUsable();
    syncs++;
    if (sink == WriteMode.DIRECT) {
      return;
    }
    try {
      channel.force(false);
    } catch (IOException broken) {
      failure = broken;
      throw broken;
    }
  }

  @Override
  public long syncs() {
    return syncs;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private void requireUsable() throws IOException {
    if (failure != null) {
      throw new IOException("the file has failed before", failure);
    }
  }

  private static ByteBuffer alignedBuffer(int size, int blockBytes) {
    return blockBytes == 1
        ? ByteBuffer.allocateDirect(size)
        : ByteBuffer.allocateDirect(size + blockBytes).alignedSlice(blockBytes);
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes, long begin)
      throws IOException {
    long position = begin;
    while (bytes.hasRemaining()) {
      position += channel.write(bytes, position);
    }
  }
}
