package io.cantle.store.library;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a second log out of a folder, of this process or another. The system releases it with the
 * process, however that ends.
 *
 * <p><b>Threading:</b> immutable.
 */
record FolderLock(FileChannel channel) implements Closeable {
  private static final String NAME = "lock";

  /**
   * Locks a folder, and creates it if it is missing.
   *
   * @throws IOException if it is locked
   */
  static FolderLock acquire(Path folder) throws IOException {
    Files.createDirectories(folder);
    FileChannel channel =
        FileChannel.open(folder.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    @Nullable FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException _) {
      lock = null;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    if (lock == null) {
      channel.close();
      throw new IOException(
          "the log in " + folder + " is open already, here or in another process; close it first");
    }
    return new FolderLock(channel);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
