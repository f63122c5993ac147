package io.cantle.store.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a directory, which one holder has at a time, in this process or another. The system
 * releases it with the process, however that ends.
 *
 * <p>A file lock belongs to the process: opening and closing the lock file again would release it.
 * So what this process has locked is looked up first.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class DirectoryLock implements Closeable {
  private static final Set<Path> DIRECTORIES_IN_USE = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private DirectoryLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Locks a directory, which must exist.
   *
   * @param file the name of the lock file; it is created if it is missing, and never removed
   * @return the lock; empty if the directory is locked
   * @throws IOException if the lock file cannot be opened
   */
  public static Optional<DirectoryLock> tryLock(Path directory, String file) throws IOException {
    Path place = directory.toRealPath();
    if (!DIRECTORIES_IN_USE.add(place)) {
      return Optional.empty();
    }
    FileChannel locked = null;
    try {
      locked = tryLockFile(place.resolve(file));
    } finally {
      if (locked == null) {
        DIRECTORIES_IN_USE.remove(place);
      }
    }
    return locked == null ? Optional.empty() : Optional.of(new DirectoryLock(place, locked));
  }

  private static @Nullable FileChannel tryLockFile(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // This process has the lock, from another class loader.
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    return lock == null ? null : channel;
  }

  /** Releases the lock. Releasing it twice does nothing. */
  @Override
  public synchronized void close() throws IOException {
    if (channel.isOpen()) {
      try {
        channel.close();
      } finally {
        DIRECTORIES_IN_USE.remove(directory);
      }
    }
  }
}
