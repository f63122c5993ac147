package io.cantle.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Where the records of a run are written: a new folder, gone with this object or, when that is told
 * to end, with this process.
 *
 * <p><b>Threading:</b> one thread, and the shutdown hook any time.
 */
final class RecordFolder implements AutoCloseable {
  private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");
  private static final int DELETIONS = 50;

  private final Path path;
  private final Thread hook = Thread.ofPlatform().unstarted(this::delete);

  /** A new folder within another. */
  RecordFolder(Path parent) throws IOException {
    path = Files.createTempDirectory(parent.toAbsolutePath(), "cantle-bench-log-");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** The type of the file system a folder is on. */
  static String fileSystem(Path folder) throws IOException {
    return Files.getFileStore(folder).type();
  }

  /** Whether a file system of this type is gone with the machine's power. */
  static boolean isMemory(String fileSystem) {
    return MEMORY.contains(fileSystem.toLowerCase(Locale.ROOT));
  }

  /** It. */
  Path path() {
    return path;
  }

  /**
   * An empty folder within. What the file system still had to do for the files that were here
   * before is done by then, so that nobody pays for another's.
   */
  Path next() throws IOException {
    Path next = Files.createTempDirectory(path, "cell-");
    try (FileChannel folder = FileChannel.open(path, StandardOpenOption.READ)) {
      folder.force(true);
    } catch (IOException unsupported) {
      // Some file systems open no folders; then a cell may pay for the one before.
    }
    return next;
  }

  @Override
  public void close() {
    delete();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException running) {
      // The hook does now what was done above.
    }
  }

  /** Processes that are just being ended may still write there, so once may not be enough. */
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
