package io.cantle.bench;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Set;

/**
 * The folder to which the records of a run are written. It is new, and is removed with this object
 * or, when that is told to end, with this process.
 *
 * <p><b>Threading:</b> one thread, and the shutdown hook any time.
 */
final class RecordFolder implements AutoCloseable {
  private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");

  private final TemporaryFolder folder;

  /** Creates a new folder within another. */
  RecordFolder(Path parent) throws IOException {
    folder = new TemporaryFolder(parent, "cantle-bench-log-");
  }

  /** Returns the type of the file system that contains a folder. */
  static String fileSystem(Path folder) throws IOException {
    return Files.getFileStore(folder).type();
  }

  /** Returns whether a file system of this type loses its data when the machine loses power. */
  static boolean isMemory(String fileSystem) {
    return MEMORY.contains(fileSystem.toLowerCase(Locale.ROOT));
  }

  /** Returns the path of the folder. */
  Path path() {
    return folder.path();
  }

  /**
   * Returns an empty folder within. What the file system still had to do for earlier files here is
   * done by then, so that no cell pays for another's.
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
