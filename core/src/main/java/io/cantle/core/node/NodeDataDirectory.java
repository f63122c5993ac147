package io.cantle.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.core.base.Environment;
import io.cantle.core.persistence.DiskStore;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.persistence.ReplicaStore;
import io.cantle.store.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a node's store: it says who the node is, and is used by one process at a time.
 *
 * <p><b>Threading:</b> one thread opens; the store is for any.
 */
public final class NodeDataDirectory {
  /** Locked while a process uses the folder. */
  private static final String LOCK_FILE = "node.lock";

  /** Of local caches, which belong to a node of their own. */
  private static final String LOCAL_DIRECTORY = "local";

  /** Says who the node is; without it a folder is none of a node. */
  private static final String NODE_ID_FILE = "node.id";

  /** Instead of how much memory copies may take: they are not read. */
  private static final long NOT_LOADED = -1;

  /** Says that everything is to go: it is there until it has. */
  private static final String DISCARDED = "node.discarded";

  /** What may be there before the store is. */
  private static final Set<String> OWN_FILES =
      Set.of(LOCK_FILE, LOCAL_DIRECTORY, NODE_ID_FILE, NODE_ID_FILE + ".draft", DISCARDED);

  /** What has been made in it by the file system, not by anybody. */
  private static final Set<String> FILE_SYSTEM_FILES = Set.of("lost+found");

  /** The folders this process uses. */
  private static final Set<Path> DIRECTORIES_IN_USE = ConcurrentHashMap.newKeySet();

  private final UUID nodeId;
  private final NodeStore store;

  private NodeDataDirectory(UUID nodeId, NodeStore store) {
    this.nodeId = nodeId;
    this.store = store;
  }

  /** Who the node is, the same in all its lives. */
  public UUID nodeId() {
    return nodeId;
  }

  /** What is in it, loaded. Closing it lets another process have the folder. */
  public NodeStore store() {
    return store;
  }

  /**
   * Opens the folder a node is to have; null if it is to have none. Copies of entries are read into
   * memory meanwhile.
   *
   * @throws GridException if that cannot be, with the folder and what to do
   */
  public static @Nullable NodeDataDirectory openIfConfigured(
      GridConfig config, Environment environment) {
    Path folder = config.store();
    return folder == null ? null : open(folder, config.storeMemory(), environment);
  }

  /** The same for the node behind local caches. */
  static @Nullable NodeDataDirectory openLocalIfConfigured(
      GridConfig config, Environment environment) {
    Path folder = config.store();
    return folder == null
        ? null
        : open(folder.resolve(LOCAL_DIRECTORY), config.storeMemory(), environment);
  }

  /**
   * Opens a folder a node has used, without reading the copies in it.
   *
   * @throws GridException if there is no node's store, or it cannot be opened
   */
  static NodeDataDirectory existing(Path folder, Environment environment) {
    if (!Files.exists(folder.resolve(NODE_ID_FILE)) || Files.exists(folder.resolve(DISCARDED))) {
      throw new GridException("there is no store of a node in " + folder);
    }
    return open(folder, NOT_LOADED, environment);
  }

  /**
   * Empties the folder of a node that has ended, but for what belongs to local caches: the next one
   * there is another node.
   *
   * @throws GridException if that cannot be
   */
  public static void discard(Path folder) {
    DirectoryLock lock = null;
    try {
      lock = lockDirectory(folder);
      Files.write(folder.resolve(DISCARDED), new byte[0]);
      syncNames(folder);
      finishDiscarding(folder);
    } catch (IOException e) {
      throw new GridException(
          "the store in " + folder + " cannot be emptied: " + e.getMessage(), e);
    } finally {
      close(lock);
    }
  }

  /** Removes all of what is to go, the word that it is last. */
  private static void finishDiscarding(Path folder) throws IOException {
    if (!Files.exists(folder.resolve(DISCARDED))) {
      return;
    }
    List<Path> all;
    try (Stream<Path> found = Files.walk(folder)) {
      all =
          found
              .filter(path -> !path.equals(folder) && !stays(folder.relativize(path).getName(0)))
              .sorted(Comparator.reverseOrder())
              .toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
    syncNames(folder);
    Files.delete(folder.resolve(DISCARDED));
    syncNames(folder);
  }

  private static boolean stays(Path first) {
    String name = first.toString();
    return name.equals(LOCK_FILE)
        || name.equals(LOCAL_DIRECTORY)
        || name.equals(DISCARDED)
        || FILE_SYSTEM_FILES.contains(name);
  }

  private static void syncNames(Path folder) throws IOException {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private static NodeDataDirectory open(Path folder, long memoryBytes, Environment environment) {
    DirectoryLock lock = null;
    try {
      lock = lockDirectory(folder);
      finishDiscarding(folder);
      UUID node = readOrDrawNodeId(folder, environment);
      ThreadFactory threads = Thread.ofPlatform().daemon().factory();
      DiskStore store =
          DiskStore.open(
              new FileDisk(folder), node.getMostSignificantBits(), environment.clock(), threads);
      NodeDataDirectory opened = null;
      try {
        if (memoryBytes != NOT_LOADED) {
          store.load(memoryBytes);
        }
        DirectoryLock directoryLock = lock;
        opened = new NodeDataDirectory(node, new LockedStore(store, directoryLock));
      } finally {
        if (opened == null) {
          store.close();
        }
      }
      lock = null;
      return opened;
    } catch (AccessDeniedException e) {
      throw new GridException(
          "the store in " + folder + " may not be read or written here: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new GridException(
          "the store in "
              + folder
              + " cannot be opened: "
              + e.getMessage()
              + "; if other nodes hold what it has, move it away and start with an empty folder",
          e);
    } finally {
      close(lock);
    }
  }

  private static void close(@Nullable DirectoryLock use) {
    if (use != null) {
      use.close();
    }
  }

  /** That a folder is used by a node of this process. */
  private record DirectoryLock(Path path, FileChannel channel) {
    void close() {
      try {
        channel.close();
      } catch (IOException e) {
        throw new GridException("a lock could not be given back: " + e.getMessage(), e);
      } finally {
        DIRECTORIES_IN_USE.remove(path);
      }
    }
  }

  /**
   * Nobody else may use it from now on. A lock is one of the process: to open its file once more
   * and close it would give away the lock of whoever has it here, so that is asked before.
   */
  private static DirectoryLock lockDirectory(Path folder) throws IOException {
    prepareDirectory(folder);
    Path place = folder.toRealPath();
    if (!DIRECTORIES_IN_USE.add(place)) {
      throw inUseException(folder);
    }
    FileChannel lock = null;
    try {
      lock = lockFile(folder);
    } finally {
      if (lock == null) {
        DIRECTORIES_IN_USE.remove(place);
      }
    }
    return new DirectoryLock(place, lock);
  }

  private static GridException inUseException(Path folder) {
    return new GridException(
        "the store in " + folder + " is in use by another node: each node has a folder of its own");
  }

  private static void prepareDirectory(Path folder) throws IOException {
    try {
      Files.createDirectories(folder);
    } catch (FileAlreadyExistsException e) {
      throw new GridException("the store is to be in " + folder + ", which is no folder", e);
    }
    List<Path> others;
    try (Stream<Path> files = Files.list(folder)) {
      others =
          files
              .filter(file -> !isExpectedFile(String.valueOf(file.getFileName())))
              .limit(1)
              .toList();
    }
    if (!others.isEmpty()
        && !Files.exists(folder.resolve(NODE_ID_FILE))
        && !Files.exists(folder.resolve(DISCARDED))) {
      throw new GridException(
          "the folder "
              + folder
              + " has no store of a node in it but "
              + others.getFirst().getFileName()
              + ": give GridConfig.store an empty folder, or one of a node");
    }
  }

  private static boolean isExpectedFile(String file) {
    return OWN_FILES.contains(file) || FILE_SYSTEM_FILES.contains(file);
  }

  private static FileChannel lockFile(Path folder) throws IOException {
    FileChannel channel =
        FileChannel.open(
            folder.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // This process has it, by another name of the folder or by other classes.
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw inUseException(folder);
    }
    return channel;
  }

  /** Drawn once, and on disk before anything else is. */
  private static UUID readOrDrawNodeId(Path folder, Environment environment) throws IOException {
    Path file = folder.resolve(NODE_ID_FILE);
    if (Files.exists(file)) {
      String text = Files.readString(file);
      try {
        return UUID.fromString(text.strip());
      } catch (IllegalArgumentException e) {
        throw new IOException(
            "the file " + NODE_ID_FILE + " has no name of a node but: " + text.strip());
      }
    }
    UUID drawn = new UUID(environment.random().nextLong(), environment.random().nextLong());
    Path draft = folder.resolve(NODE_ID_FILE + ".draft");
    try (FileChannel channel =
        FileChannel.open(
            draft,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer text = UTF_8.encode(drawn + "\n");
      while (text.hasRemaining()) {
        channel.write(text);
      }
      channel.force(true);
    }
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    syncNames(folder);
    return drawn;
  }

  /** Gives the folder back when it is closed. */
  private record LockedStore(DiskStore store, DirectoryLock lock) implements NodeStore {
    @Override
    public long changes() {
      return store.changes();
    }

    @Override
    public boolean keepsEntries() {
      return store.keepsEntries();
    }

    @Override
    public long maxMemoryBytes() {
      return store.maxMemoryBytes();
    }

    @Override
    public ReplicaStore replicaStore(int cache, int segment) {
      return store.replicaStore(cache, segment);
    }

    @Override
    public @Nullable LoadedReplica takeLoadedReplica(int cache, int segment) {
      return store.takeLoadedReplica(cache, segment);
    }

    @Override
    public void onFailure(Consumer<Throwable> task) {
      store.onFailure(task);
    }

    @Override
    public byte @Nullable [] find(String name) {
      return store.find(name);
    }

    @Override
    public void save(String name, byte[] bytes, Runnable onDurable) {
      store.save(name, bytes, onDurable);
    }

    @Override
    public void close() {
      store.close(lock::close);
    }
  }
}
