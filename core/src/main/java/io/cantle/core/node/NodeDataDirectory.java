package io.cantle.core.node;

import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.core.base.Environment;
import io.cantle.core.base.NonBlockingThread;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.persistence.DiskStore;
import io.cantle.core.persistence.NodeStore;
import io.cantle.store.disk.DirectoryLock;
import io.cantle.store.disk.FileDisk;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The data directory of a node with a store: it contains the node id and the store, and is used by
 * one process at a time.
 *
 * <p><b>Threading:</b> one thread opens it; any thread may use the store.
 */
public final class NodeDataDirectory {
  /** Locked while a process uses the directory. */
  private static final String LOCK_FILE = "node.lock";

  /** The directory of local caches, which belong to a separate node. */
  private static final String LOCAL_DIRECTORY = "local";

  /** Contains the node id; a directory without it does not belong to a node. */
  private static final String NODE_ID_FILE = "node.id";

  /** Contains the name of the grid whose node has used the directory first. */
  private static final String GRID_NAME_FILE = "grid.name";

  /** In place of a memory limit: replicas are not loaded. */
  private static final long NOT_LOADED = -1;

  /** In place of the name of a grid: that of the directory, if it has one. */
  private static final String ANY_GRID = "";

  /** The directories of stores that a grid has refused; a number follows. */
  private static final String REFUSED = "refused-";

  /** Follows the number until everything is in that directory. */
  private static final String UNFINISHED = ".unfinished";

  /** What stays when a store is put aside; the last is a file that the file system creates. */
  private static final Set<String> STAYING_FILES = Set.of(LOCK_FILE, LOCAL_DIRECTORY, "lost+found");

  private final UUID nodeId;
  private final String gridName;
  private final NodeStore store;

  private NodeDataDirectory(UUID nodeId, String gridName, NodeStore store) {
    this.nodeId = nodeId;
    this.gridName = gridName;
    this.store = store;
  }

  /** The node id, the same in all incarnations of the node. */
  public UUID nodeId() {
    return nodeId;
  }

  /** The name of the grid of the node; empty if a version wrote the directory that kept none. */
  String gridName() {
    return gridName;
  }

  /** The loaded store. Closing it releases the directory for other processes. */
  public NodeStore store() {
    return store;
  }

  /**
   * Opens the directory of a node, and loads its replicas into memory. Returns null if none is
   * configured.
   *
   * @throws GridException if it cannot be opened or is of a grid of another name, with the
   *     directory and what to do
   */
  public static @Nullable NodeDataDirectory openIfConfigured(
      GridConfig config, Environment environment) {
    Path folder = config.store().directory();
    return folder == null
        ? null
        : open(folder, config.name(), config.store().memoryBytes(), environment);
  }

  /** Opens the directory of the node behind local caches. */
  static @Nullable NodeDataDirectory openLocalIfConfigured(
      GridConfig config, Environment environment) {
    Path folder = config.store().directory();
    return folder == null
        ? null
        : openIfConfigured(config.store(folder.resolve(LOCAL_DIRECTORY)), environment);
  }

  /** Whether local caches have used the directory. */
  static boolean hasLocal(GridConfig config) {
    Path folder = config.store().directory();
    return folder != null && nodeIdFile(folder.resolve(LOCAL_DIRECTORY)).exists();
  }

  /**
   * Opens a directory that a node has used, without loading its replicas.
   *
   * @throws GridException if it contains no store of a node, or cannot be opened
   */
  static NodeDataDirectory openExisting(Path folder, Environment environment) {
    if (!Files.exists(folder.resolve(NODE_ID_FILE))) {
      throw new GridException("there is no store of a node in " + folder);
    }
    return open(folder, ANY_GRID, NOT_LOADED, environment);
  }

  /**
   * Moves what is in the directory of a node that has ended into a directory of its own there,
   * except for local caches. The next node that uses the directory is a new node.
   *
   * @return where it is now
   * @throws GridException if it cannot be moved
   */
  public static Path putAside(Path folder) {
    try (StoreLock _ = lockDirectory(folder)) {
      int number = 1;
      while (Files.exists(folder.resolve(REFUSED + number))) {
        number++;
      }
      Files.createDirectories(folder.resolve(REFUSED + number + UNFINISHED));
      TextFile.syncNames(folder);
      finishPuttingAside(folder);
      return folder.resolve(REFUSED + number);
    } catch (IOException e) {
      throw new GridException(
          "the store in " + folder + " cannot be moved aside: " + reasonOf(e), e);
    }
  }

  /** Moves what was to be moved when the process ended. */
  private static void finishPuttingAside(Path folder) throws IOException {
    for (Path unfinished : list(folder, name -> name.endsWith(UNFINISHED))) {
      for (Path path : list(folder, name -> !stays(name))) {
        Files.move(path, unfinished.resolve(path.getFileName()), StandardCopyOption.ATOMIC_MOVE);
      }
      TextFile.syncNames(unfinished);
      String name = String.valueOf(unfinished.getFileName());
      Files.move(
          unfinished,
          folder.resolve(name.substring(0, name.length() - UNFINISHED.length())),
          StandardCopyOption.ATOMIC_MOVE);
      TextFile.syncNames(folder);
    }
  }

  private static boolean isPuttingAside(Path folder) throws IOException {
    return !list(folder, name -> name.endsWith(UNFINISHED)).isEmpty();
  }

  private static List<Path> list(Path folder, Predicate<String> names) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> names.test(String.valueOf(file.getFileName()))).toList();
    }
  }

  private static boolean stays(String name) {
    return STAYING_FILES.contains(name) || name.startsWith(REFUSED);
  }

  private static NodeDataDirectory open(
      Path folder, String gridName, long memoryBytes, Environment environment) {
    Runnable undo = () -> {};
    try {
      StoreLock lock = lockDirectory(folder);
      undo = lock::close;
      finishPuttingAside(folder);
      UUID node = readOrDrawNodeId(folder, environment);
      String kept = readOrKeepGridName(folder, gridName);
      DiskStore store =
          DiskStore.open(
              new FileDisk(folder),
              node.getMostSignificantBits(),
              environment.clock(),
              DiskThread::new);
      store.onClosed(lock::close);
      undo = store::close;
      if (memoryBytes != NOT_LOADED) {
        store.load(memoryBytes, HeapContainer::new);
      }
      undo = () -> {};
      return new NodeDataDirectory(node, kept, store);
    } catch (AccessDeniedException e) {
      throw new GridException(
          ("this process may not read or write the store in %s: %s; give its user the right, or"
                  + " GridConfig.store another folder")
              .formatted(folder, e.getMessage()),
          e);
    } catch (IOException e) {
      throw new GridException(
          ("the store in %s cannot be opened: %s; if other nodes hold what it has, move it away and"
                  + " start with an empty folder")
              .formatted(folder, reasonOf(e)),
          e);
    } finally {
      undo.run();
    }
  }

  /** The reason of a failure; some messages of the file system are only the name of a file. */
  private static String reasonOf(IOException e) {
    return e instanceof FileSystemException failure && failure.getReason() == null
        ? e.getClass().getSimpleName() + " of " + e.getMessage()
        : String.valueOf(e.getMessage());
  }

  /** The lock of a store, whose failing release is no failure of its disk. */
  private record StoreLock(DirectoryLock lock) implements AutoCloseable {
    @Override
    public void close() {
      try {
        lock.close();
      } catch (IOException e) {
        throw new GridException("the lock of a store could not be released: " + e.getMessage(), e);
      }
    }
  }

  private static StoreLock lockDirectory(Path folder) throws IOException {
    prepareDirectory(folder);
    return new StoreLock(
        DirectoryLock.tryLock(folder, LOCK_FILE).orElseThrow(() -> inUseException(folder)));
  }

  private static GridException inUseException(Path folder) {
    return new GridException(
        "the store in %s is in use by another node: each node needs a folder of its own"
            .formatted(folder));
  }

  private static void prepareDirectory(Path folder) throws IOException {
    try {
      Files.createDirectories(folder);
    } catch (FileAlreadyExistsException e) {
      throw new GridException("the path of the store is " + folder + ", which is not a folder", e);
    } catch (IOException e) {
      throw new GridException(
          ("the folder %s of the store cannot be made: %s; give GridConfig.store a path at which"
                  + " this process may make one")
              .formatted(folder, reasonOf(e)),
          e);
    }
    List<Path> unexpectedFiles =
        list(folder, name -> !stays(name) && !name.equals(nodeIdFile(folder).draftName()));
    if (!unexpectedFiles.isEmpty()
        && !Files.exists(folder.resolve(NODE_ID_FILE))
        && !isPuttingAside(folder)) {
      throw new GridException(
          ("the folder %s has no store of a node in it, but has the file %s: give GridConfig.store an"
                  + " empty folder, or one of a node")
              .formatted(folder, unexpectedFiles.getFirst().getFileName()));
    }
  }

  private static TextFile nodeIdFile(Path folder) {
    return new TextFile(folder, NODE_ID_FILE);
  }

  /** Reads the node id, or draws it and writes it to disk before anything else. */
  private static UUID readOrDrawNodeId(Path folder, Environment environment) throws IOException {
    TextFile file = nodeIdFile(folder);
    if (file.exists()) {
      String text = file.read();
      try {
        return UUID.fromString(text.strip());
      } catch (IllegalArgumentException e) {
        throw new IOException(
            "the file " + NODE_ID_FILE + " does not contain a node id but: " + text.strip());
      }
    }
    UUID drawn = new UUID(environment.random().nextLong(), environment.random().nextLong());
    file.write(drawn.toString());
    return drawn;
  }

  /**
   * Reads the name of the grid, or writes it. A node whose grid has a mistyped name would take what
   * it has stored into a grid of its own.
   */
  private static String readOrKeepGridName(Path folder, String gridName) throws IOException {
    TextFile file = new TextFile(folder, GRID_NAME_FILE);
    if (!file.exists()) {
      if (!gridName.equals(ANY_GRID)) {
        file.write(gridName);
      }
      return gridName;
    }
    String kept = file.read();
    if (!gridName.equals(ANY_GRID) && !gridName.equals(kept)) {
      throw new GridException(
          ("the store in %s is of grid \"%s\", not of grid \"%s\": start its node with"
                  + " GridConfig.named(\"%s\"), or give this one an empty folder")
              .formatted(folder, kept, gridName, kept));
    }
    return kept;
  }

  /** A thread of the store. It also runs what waits for the disk, and acknowledges writes. */
  private static final class DiskThread extends Thread implements NonBlockingThread {
    DiskThread(Runnable task) {
      super(task);
      setDaemon(true);
    }
  }
}
