package io.cantle.bench;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Set;

/**
 * Where the records of a run are written: a new folder, gone with this object or, when that is told
 * to end, with this process.
 *
 * <p><b>Threading:</b> one thread, and the shutdown hook any time.
 */
final class RecordFolder implements AutoCloseable {
  private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");

  private final TemporaryFolder folder;

  /** A new folder within another. */
  RecordFolder(Path parent) throws IOException {
    folder = new TemporaryFolder(parent, "cantle-bench-log-");
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
    return folder.path();
  }

  /**
   * An empty folder within. What the file system still had to do for the files that were here
   * before is done by then, so that nobody pays for another's.
   */
  Path next() throws IOException {
    Path next = Files.createTempDirectory(path(), "cell-");
    try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException unsupported) {
      // Some file systems open no folders; then a cell may pay for the one before.
    }
    return next;
  }

  @Override
  public void close() {
    folder.close();
  }
}
