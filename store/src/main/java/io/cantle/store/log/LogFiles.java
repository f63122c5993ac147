package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The files of a log: one that is written to, one prepared to be the next, those that are full, and
 * spare ones that were dropped and are written again. Each file has a number of its own, which is
 * never given twice: what a spare file held before has another number in every frame, and is none.
 *
 * <p>A file is prepared while the one before is written to: written from end to end, so that a
 * write changes no metadata of the file system, given its head, made durable, and named; only then
 * is a frame written to it. One that was dropped is not looked into any more once the catalog says
 * so; therefore it may be overwritten under its old name and then renamed.
 *
 * <p><b>Threading:</b> any thread; {@code lock} guards all but the open files.
 */
final class LogFiles implements Closeable {
  private static final int FILL_BYTES = 1 << 20;
  private static final long RETRY_NANOS = 1_000_000_000L;

  private final Disk disk;
  private final LogOptions options;
  private final StoreClock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final NavigableSet<Long> full = new TreeSet<>();
  private final Deque<String> spares = new ArrayDeque<>();
  private final Map<Long, DiskFile> readers = new ConcurrentHashMap<>();

  private Catalog catalog;
  private long lastId;
  private long activeId;
  private @Nullable Prepared prepared;

  /** Asked for by many, while a file is being prepared too. */
  private volatile @Nullable IOException failure;

  private volatile boolean closed;
  private volatile @Nullable Thread keeper;

  /** A file that nothing was written to yet. */
  record Prepared(long id, DiskFile file) {}

  /**
   * The files that are there.
   *
   * @param lastId the highest number that was given to a file
   */
  LogFiles(Disk disk, LogOptions options, StoreClock clock, Catalog catalog, long lastId) {
    this.disk = disk;
    this.options = options;
    this.clock = clock;
    this.catalog = catalog;
    this.lastId = lastId;
  }

  /** Keeps a file prepared until this is closed; on a thread of its own. */
  void keep() {
    keeper = Thread.currentThread();
    while (!closed) {
      prepare();
      clock.parkNanos(this, isPrepared() ? Long.MAX_VALUE : RETRY_NANOS);
    }
  }

  private void wakeKeeper() {
    Thread thread = keeper;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /** Prepares the next file unless it is there. What fails is told by {@link #failure}. */
  void prepare() {
    lock.lock();
    try {
      if (prepared == null && !closed) {
        prepared = prepareNext();
      }
    } catch (IOException e) {
      failure = e;
    } finally {
      lock.unlock();
    }
  }

  /** Why the next file could not be prepared when that was tried last. */
  Optional<IOException> failure() {
    return Optional.ofNullable(failure);
  }

  private boolean isPrepared() {
    lock.lock();
    try {
      return prepared != null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The next file, which is prepared now if it was not. It counts as full the file before, which
   * must be sealed before anything is written to this one.
   *
   * @throws IOException if it cannot be prepared, because the disk is full for instance
   */
  Prepared take() throws IOException {
    lock.lock();
    try {
      Prepared next = prepared == null ? prepareNext() : prepared;
      prepared = null;
      if (activeId != 0) {
        if (next.id > activeId + 1) {
          dropUnused(new Catalog.Range(activeId + 1, next.id - 1));
        }
        boolean _ = full.add(activeId);
      }
      activeId = next.id;
      return next;
    } finally {
      lock.unlock();
      wakeKeeper();
    }
  }

  private Prepared prepareNext() throws IOException {
    long id = lastId + 1;
    if (id > Integer.MAX_VALUE) {
      throw new IOException("the log has used up all numbers of files, " + lastId);
    }
    String spare = spares.poll();
    String name = spare == null ? LogNames.newFile(id) : spare;
    Access access = options.policy().isDurable() ? Access.DURABLE : Access.BUFFERED;
    DiskFile file = null;
    try {
      file = spare == null ? disk.create(name, access) : disk.open(name, access);
      ByteBuffer buffer =
          disk.buffer(spare == null ? Math.min(FILL_BYTES, options.fileBytes()) : Disk.BLOCK);
      if (spare == null) {
        for (long at = 0; at < options.fileBytes(); at += buffer.limit()) {
          buffer.clear().limit((int) Math.min(buffer.capacity(), options.fileBytes() - at));
          file.writeFully(buffer, at, SyncPoint.PREPARED);
        }
      }
      buffer.clear().limit(Disk.BLOCK);
      new FileHead(catalog.identity(), id, options.fileBytes()).write(buffer);
      file.writeFully(buffer, 0, SyncPoint.PREPARED);
      // Even where every write is durable: the length and whatever else the system knows of it.
      file.force(SyncPoint.PREPARED);
      // From here on, what is lost of a failure is a number.
      lastId = id;
      disk.rename(name, LogNames.file(id));
      disk.syncNames(SyncPoint.PREPARED_NAME);
      failure = null;
      return new Prepared(id, file);
    } catch (IOException e) {
      if (file != null) {
        file.close();
      }
      if (lastId != id) {
        // On a full disk the part that was written is what others need now.
        disk.delete(name);
      }
      throw e;
    }
  }

  /** Remembers a file that recovery found full. */
  void addFull(long id) {
    lock.lock();
    try {
      boolean _ = full.add(id);
    } finally {
      lock.unlock();
    }
  }

  /** The disk they are on. */
  Disk disk() {
    return disk;
  }

  /** The numbers of all files that hold something, in order; the last is written to. */
  List<Long> ids() {
    lock.lock();
    try {
      List<Long> ids = new ArrayList<>(full);
      ids.add(activeId);
      return ids;
    } finally {
      lock.unlock();
    }
  }

  boolean isLive(long id) {
    lock.lock();
    try {
      return id == activeId || full.contains(id);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Forgets a full file. Its space is used again or given back.
   *
   * @throws IllegalArgumentException if it is not a full file
   * @throws IOException if that cannot be made durable; the file may be there when the log is
   *     opened
   */
  void drop(long id) throws IOException {
    lock.lock();
    try {
      if (!full.contains(id)) {
        throw new IllegalArgumentException(
            "file " + id + " is not among the full files " + full + "; only those can be dropped");
      }
      Catalog without = catalog.without(new Catalog.Range(id, id));
      without.write(disk);
      catalog = without;
      boolean _ = full.remove(id);
      DiskFile reader = readers.remove(id);
      if (reader != null) {
        reader.close();
      }
      recycle(LogNames.file(id));
    } finally {
      lock.unlock();
      wakeKeeper();
    }
  }

  /** Notes in the catalog that files are none of the log's. */
  void dropUnused(Catalog.Range ids) throws IOException {
    lock.lock();
    try {
      Catalog without = catalog.without(ids);
      without.write(disk);
      catalog = without;
    } finally {
      lock.unlock();
    }
  }

  /** Keeps a file that the catalog calls dropped to write it again, or deletes it. */
  void recycle(String name) throws IOException {
    lock.lock();
    try {
      if (spares.size() < options.spareFiles() && hasLength(name)) {
        spares.add(name);
      } else {
        disk.delete(name);
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean hasLength(String name) throws IOException {
    try (DiskFile file = disk.open(name, Access.READ)) {
      return file.length() == options.fileBytes();
    }
  }

  /**
   * A file to read from.
   *
   * @throws IOException if it cannot be opened
   */
  DiskFile reader(long id) throws IOException {
    DiskFile open = readers.get(id);
    if (open != null) {
      return open;
    }
    lock.lock();
    try {
      open = readers.get(id);
      if (open == null) {
        if (closed || !isLive(id)) {
          throw new LogException.Refused("file " + id + " is not in the log, or the log is closed");
        }
        open = disk.open(LogNames.file(id), Access.READ);
        readers.put(id, open);
      }
      return open;
    } finally {
      lock.unlock();
    }
  }

  /** Closes what is open, but for the file that is written to. */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      for (DiskFile reader : readers.values()) {
        reader.close();
      }
      readers.clear();
      if (prepared != null) {
        prepared.file.close();
        prepared = null;
      }
    } finally {
      lock.unlock();
      wakeKeeper();
    }
  }
}
