package io.cantle.cli.log;

import io.cantle.cli.console.UsageException;
import io.cantle.store.segment.StoreCheck;
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
 * Finds the stores of a folder.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class Stores {
  private static final int MOST_FOLDERS = 2;
  private static final Path PROCESSES = Path.of("/proc");

  private Stores() {}

  /**
   * The folder itself if there is a store in it; otherwise all below it, two deep, by name.
   *
   * @throws UsageException if there is none, or a process has one of them open
   */
  static List<Path> in(Path folder) throws UsageException, IOException {
    if (!Files.isDirectory(folder)) {
      throw new UsageException(folder + " is no folder");
    }
    List<Path> found = new ArrayList<>();
    add(folder, MOST_FOLDERS, found);
    if (found.isEmpty()) {
      throw new UsageException(
          "no store in "
              + folder
              + ": neither there nor up to "
              + MOST_FOLDERS
              + " folders below is a file `catalog` or one like `000000001.log`");
    }
    for (Path store : found) {
      Optional<String> holder = holder(store.toRealPath());
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

  private static void add(Path folder, int depth, List<Path> found) throws IOException {
    List<Path> entries;
    try (Stream<Path> files = Files.list(folder)) {
      entries = files.sorted().toList();
    }
    if (StoreCheck.isStore(
        entries.stream().map(file -> String.valueOf(file.getFileName())).toList())) {
      found.add(folder);
    } else if (depth > 0) {
      for (Path entry : entries) {
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS) && Files.isReadable(entry)) {
          add(entry, depth - 1, found);
        }
      }
    }
  }

  /**
   * A process that has a file of a folder open to write to it: an open store always has one. The
   * system shows that of one's own processes, and root's are shown to root; nothing has to be
   * written, as a lock would be. Elsewhere than on Linux nobody is found.
   */
  private static Optional<String> holder(Path folder) throws IOException {
    if (!Files.isDirectory(PROCESSES)) {
      return Optional.empty();
    }
    try (Stream<Path> processes = Files.list(PROCESSES)) {
      return processes
          .filter(process -> String.valueOf(process.getFileName()).matches("[0-9]+"))
          .filter(process -> writes(process.resolve("fd"), folder))
          .map(process -> String.valueOf(process.getFileName()))
          .findFirst();
    }
  }

  private static boolean writes(Path descriptors, Path folder) {
    try (Stream<Path> links = Files.list(descriptors)) {
      return links.anyMatch(link -> writesTo(link, folder));
    } catch (IOException _) {
      // It has ended meanwhile, or is somebody else's.
      return false;
    }
  }

  private static boolean writesTo(Path link, Path folder) {
    try {
      return Files.readSymbolicLink(link).startsWith(folder)
          && Files.getPosixFilePermissions(link, LinkOption.NOFOLLOW_LINKS)
              .contains(PosixFilePermission.OWNER_WRITE);
    } catch (IOException _) {
      return false;
    }
  }
}
