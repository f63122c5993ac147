package io.cantle.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A new folder that is deleted when this object is closed or, if the process is told to end before
 * that, with the process.
 *
 * <p><b>Threading:</b> one thread, and the shutdown hook any time.
 */
final class TemporaryFolder implements AutoCloseable {
  private static final int DELETIONS = 50;

  private final Path path;
  private final Thread hook = Thread.ofPlatform().unstarted(this::delete);

  /** Creates a folder within {@code parent} whose name begins with {@code prefix}. */
  TemporaryFolder(Path parent, String prefix) throws IOException {
    path = Files.createTempDirectory(parent.toAbsolutePath(), prefix);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Returns its path. */
  Path path() {
    return path;
  }

  @Override
  public void close() {
    delete();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException running) {
      // The shutdown hook runs already, and does what was done above.
    }
  }

  /**
   * Deletes the folder. Processes that are just being ended may still write there, so once may not
   * be enough.
   */
  private void delete() {
    for (int deletion = 0; deletion < DELETIONS && Files.exists(path); deletion++) {
      if (deletion > 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
      deleteOnce();
    }
  }

  private void deleteOnce() {
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : all) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException changing) {
      // What is in the way now is tried again.
    }
  }
}
