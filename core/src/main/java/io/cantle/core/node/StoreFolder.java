package io.cantle.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.core.base.World;
import io.cantle.core.store.Copy;
import io.cantle.core.store.DiskStore;
import io.cantle.core.store.Shelf;
import io.cantle.core.store.Store;
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
public final class StoreFolder {
  /** Locked while a process uses the folder. */
  private static final String LOCK = "node.lock";

  /** Of local caches, which belong to a node of their own. */
  private static final String LOCAL = "local";

  /** Says who the node is; without it a folder is none of a node. */
  private static final String NODE = "node.id";

  /** Instead of how much memory copies may take: they are not read. */
  private static final long NOT_LOADED = -1;

  /** Says that everything is to go: it is there until it has. */
  private static final String DISCARDED = "node.discarded";

  /** What may be there before the store is. */
  private static final Set<String> OURS = Set.of(LOCK, LOCAL, NODE, NODE + ".draft", DISCARDED);

  /** What has been made in it by the file system, not by anybody. */
  private static final Set<String> NOBODYS = Set.of("lost+found");

  /** The folders this process uses. */
  private static final Set<Path> USED = ConcurrentHashMap.newKeySet();

  private final UUID node;
  private final Store store;

  private StoreFolder(UUID node, Store store) {
    this.node = node;
    this.store = store;
  }

  /** Who the node is, the same in all its lives. */
  public UUID node() {
    return node;
  }

  /** What is in it, loaded. Closing it lets another process have the folder. */
  public Store store() {
    return store;
  }

  /**
   * Opens the folder a node is to have; null if it is to have none. Copies of entries are read into
   * memory meanwhile.
   *
   * @throws GridException if that cannot be, with the folder and what to do
   */
  public static @Nullable StoreFolder of(GridConfig config, World world) {
    Path folder = config.store();
    return folder == null ? null : open(folder, config.storeMemory(), world);
  }

  /** The same for the node behind local caches. */
  static @Nullable StoreFolder ofLocal(GridConfig config, World world) {
    Path folder = config.store();
    return folder == null ? null : open(folder.resolve(LOCAL), config.storeMemory(), world);
  }

  /**
   * Opens a folder a node has used, without reading the copies in it.
   *
   * @throws GridException if there is no node's store, or it cannot be opened
   */
  static StoreFolder existing(Path folder, World world) {
    if (!Files.exists(folder.resolve(NODE)) || Files.exists(folder.resolve(DISCARDED))) {
      throw new GridException("there is no store of a node in " + folder);
    }
    return open(folder, NOT_LOADED, world);
  }

  /**
   * Empties the folder of a node that has ended, but for what belongs to local caches: the next one
   * there is another node.
   *
   * @throws GridException if that cannot be
   */
  public static void discard(Path folder) {
    Use lock = null;
    try {
      lock = use(folder);
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
    return name.equals(LOCK)
        || name.equals(LOCAL)
        || name.equals(DISCARDED)
        || NOBODYS.contains(name);
  }

  private static void syncNames(Path folder) throws IOException {
    try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  private static StoreFolder open(Path folder, long memoryBytes, World world) {
    Use lock = null;
    try {
      lock = use(folder);
      finishDiscarding(folder);
      UUID node = node(folder, world);
      ThreadFactory threads = Thread.ofPlatform().daemon().factory();
      DiskStore store =
          DiskStore.open(
              new FileDisk(folder), node.getMostSignificantBits(), world.clock(), threads);
      StoreFolder opened = null;
      try {
        if (memoryBytes != NOT_LOADED) {
          store.load(memoryBytes);
        }
        Use held = lock;
        opened = new StoreFolder(node, new Locked(store, held));
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

  private static void close(@Nullable Use use) {
    if (use != null) {
      use.close();
    }
  }

  /** That a folder is used by a node of this process. */
  private record Use(Path place, FileChannel lock) {
    void close() {
      try {
        lock.close();
      } catch (IOException e) {
        throw new GridException("a lock could not be given back: " + e.getMessage(), e);
      } finally {
        USED.remove(place);
      }
    }
  }

  /**
   * Nobody else may use it from now on. A lock is one of the process: to open its file once more
   * and close it would give away the lock of whoever has it here, so that is asked before.
   */
  private static Use use(Path folder) throws IOException {
    prepare(folder);
    Path place = folder.toRealPath();
    if (!USED.add(place)) {
      throw inUse(folder);
    }
    FileChannel lock = null;
    try {
      lock = locked(folder);
    } finally {
      if (lock == null) {
        USED.remove(place);
      }
    }
    return new Use(place, lock);
  }

  private static GridException inUse(Path folder) {
    return new GridException(
        "the store in " + folder + " is in use by another node: each node has a folder of its own");
  }

  private static void prepare(Path folder) throws IOException {
    try {
      Files.createDirectories(folder);
    } catch (FileAlreadyExistsException e) {
      throw new GridException("the store is to be in " + folder + ", which is no folder", e);
    }
    List<Path> others;
    try (Stream<Path> files = Files.list(folder)) {
      others =
          files.filter(file -> !isExpected(String.valueOf(file.getFileName()))).limit(1).toList();
    }
    if (!others.isEmpty()
        && !Files.exists(folder.resolve(NODE))
        && !Files.exists(folder.resolve(DISCARDED))) {
      throw new GridException(
          "the folder "
              + folder
              + " has no store of a node in it but "
              + others.getFirst().getFileName()
              + ": give GridConfig.store an empty folder, or one of a node");
    }
  }

  private static boolean isExpected(String file) {
    return OURS.contains(file) || NOBODYS.contains(file);
  }

  private static FileChannel locked(Path folder) throws IOException {
    FileChannel channel =
        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
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
      throw inUse(folder);
    }
    return channel;
  }

  /** Drawn once, and on disk before anything else is. */
  private static UUID node(Path folder, World world) throws IOException {
    Path file = folder.resolve(NODE);
    if (Files.exists(file)) {
      String text = Files.readString(file);
      try {
        return UUID.fromString(text.strip());
      } catch (IllegalArgumentException e) {
        throw new IOException("the file " + NODE + " has no name of a node but: " + text.strip());
      }
    }
    UUID drawn = new UUID(world.random().nextLong(), world.random().nextLong());
    Path draft = folder.resolve(NODE + ".draft");
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
  private record Locked(DiskStore store, Use use) implements Store {
    @Override
    public long changes() {
      return store.changes();
    }

    @Override
    public boolean keeps() {
      return store.keeps();
    }

    @Override
    public long memoryBytes() {
      return store.memoryBytes();
    }

    @Override
    public Shelf shelf(int cache, int segment) {
      return store.shelf(cache, segment);
    }

    @Override
    public @Nullable Copy take(int cache, int segment) {
      return store.take(cache, segment);
    }

    @Override
    public void whenFailed(Consumer<Throwable> task) {
      store.whenFailed(task);
    }

    @Override
    public byte @Nullable [] find(String name) {
      return store.find(name);
    }

    @Override
    public void keep(String name, byte[] bytes, Runnable then) {
      store.keep(name, bytes, then);
    }

    @Override
    public void close() {
      store.close(use::close);
    }
  }
}
