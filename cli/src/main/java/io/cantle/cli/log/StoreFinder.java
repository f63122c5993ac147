package io.cantle.cli.log;

import io.cantle.cli.console.UsageException;
import io.cantle.store.log.LogVerifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the stores in a folder.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class StoreFinder {
  private static final int MAX_FOLDER_DEPTH = 2;
  private static final Path PROC_DIRECTORY = Path.of("/proc");

  private StoreFinder() {}

  /**
   * Returns the folder itself if it holds a store, else all stores up to two folders below, by
   * name.
   *
   * @throws UsageException if there is none, or a process has one of them open
   */
  static List<Path> findIn(Path folder) throws UsageException, IOException {
    if (!Files.isDirectory(folder)) {
      throw new UsageException(folder + " is not a folder");
    }
    List<Path> found = new ArrayList<>();
    addIfStore(folder, MAX_FOLDER_DEPTH, found);
    if (found.isEmpty()) {
      throw new UsageException(
          "no store in "
              + folder
              + ": neither there nor up to "
              + MAX_FOLDER_DEPTH
              + " folders below is a file `catalog` or one like `000000001.log`");
    }
    for (Path store : found) {
      Optional<String> holder = findHolder(store.toRealPath());
      if (holder.isPresent()) {
        throw new UsageException(
            store
                + " is in use by process "
                + holder.get()
                + "; what is being written would look"
                + " like damage: end it first");
      }
    }
    return found;
  }

  private static void addIfStore(Path folder, int depth, List<Path> found) throws IOException {
    List<Path> entries;
    try (Stream<Path> files = Files.list(folder)) {
      entries = files.sorted().toList();
    }
    if (LogVerifier.isLog(
        entries.stream().map(file -> String.valueOf(file.getFileName())).toList())) {
      found.add(folder);
    } else if (depth > 0) {
      for (Path entry : entries) {
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS) && Files.isReadable(entry)) {
          addIfStore(entry, depth - 1, found);
        }
      }
    }
  }

  /**
   * Finds a process that has a file of the folder open for writing; an open store always has one.
   * Linux shows the open files of a user's own processes, and all of them to root. A lock would
   * need a write, this needs none. On other systems no process is found.
   */
  private static Optional<String> findHolder(Path folder) throws IOException {
    if (!Files.isDirectory(PROC_DIRECTORY)) {
      return Optional.empty();
    }
    try (Stream<Path> processes = Files.list(PROC_DIRECTORY)) {
      return processes
          .filter(process -> String.valueOf(process.getFileName()).matches("[0-9]+"))
          .filter(process -> hasOpenForWriting(process.resolve("fd"), folder))
          .map(process -> String.valueOf(process.getFileName()))
          .findFirst();
    }
  }

  private static boolean hasOpenForWriting(Path descriptors, Path folder) {
    try (Stream<Path> links = Files.list(descriptors)) {
      return links.anyMatch(link -> isOpenForWriting(link, folder));
    } catch (IOException _) {
      // The process has ended meanwhile, or belongs to another user.
      return false;
    }
  }

  private static boolean isOpenForWriting(Path link, Path folder) {
    try {
      return Files.readSymbolicLink(link).startsWith(folder)
          && Files.getPosixFilePermissions(link, LinkOption.NOFOLLOW_LINKS)
              .contains(PosixFilePermission.OWNER_WRITE);
    } catch (IOException _) {
      return false;
    }
  }
}
