package io.cantle.store.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.SyncPoint;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
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
 * The files of a log: the active one, which is written to, the one prepared to be next, the full
 * ones, and spare ones, which were dropped and are used again. Each file has an id, which is never
 * given twice. What a spare file held before has another id in every frame, and so does not count.
 *
 * <p>The next file is prepared while the active one is written to. It is written from end to end,
 * so that later writes change no metadata of the file system. Then it gets its header, is made
 * durable, and gets its name; only then is a frame written to it. A dropped file is ignored once
 * the catalog says so. Therefore it may be overwritten under its old name and renamed afterwards.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LogFiles implements Closeable {
  private static final int MAX_FILL_BYTES = 1 << 20;
  private static final long RETRY_NANOS = 1_000_000_000L;

  private final Disk disk;
  private final LogOptions options;
  private final StoreClock clock;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final NavigableSet<Long> fullIds;

  @GuardedBy("lock")
  private final Deque<String> spareNames = new ArrayDeque<>();

  private final Map<Long, DiskFile> readers = new ConcurrentHashMap<>();

  @GuardedBy("lock")
  private LogCatalog catalog;

  @GuardedBy("lock")
  private long lastId;

  @GuardedBy("lock")
  private long activeId;

  @GuardedBy("lock")
  private @Nullable PreparedFile prepared;

  /** Read by many threads, also while a file is being prepared. */
  private volatile @Nullable IOException failure;

  private volatile boolean closed;
  private volatile @Nullable Thread preparer;

  /** A file that nothing was written to yet. */
  record PreparedFile(long id, DiskFile file) {}

  /**
   * The files of a log that is being opened.
   *
   * @param fullIds the ids of the files that hold something
   * @param lastId the highest id that was given to a file
   */
  LogFiles(
      Disk disk,
      LogOptions options,
      StoreClock clock,
      LogCatalog catalog,
      List<Long> fullIds,
      long lastId) {
    this.disk = disk;
    this.options = options;
    this.clock = clock;
    this.catalog = catalog;
    this.fullIds = new TreeSet<>(fullIds);
    this.lastId = lastId;
  }

  /** Keeps a file prepared until this is closed; runs on a thread of its own. */
  void runPreparer() {
    preparer = Thread.currentThread();
    while (!closed) {
      prepareIfMissing();
      clock.parkNanos(this, failure == null ? Long.MAX_VALUE : RETRY_NANOS);
    }
  }

  private void wakePreparer() {
    Thread thread = preparer;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /** Prepares the next file if it is missing. {@link #prepareFailure} tells why that failed. */
  void prepareIfMissing() {
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

  /** Why the last attempt to prepare the next file failed. */
  Optional<IOException> prepareFailure() {
    return Optional.ofNullable(failure);
  }

  /**
   * Returns the next file, and prepares it now if it was not ready. The file before counts as full;
   * it must be sealed before anything is written to this one.
   *
   * @throws IOException if it cannot be prepared, because the disk is full for instance
   */
  PreparedFile takeNext() throws IOException {
    lock.lock();
    try {
      PreparedFile next = prepared == null ? prepareNext() : prepared;
      prepared = null;
      if (activeId != 0) {
        if (next.id > activeId + 1) {
          dropUnusedIds(new LogCatalog.FileRange(activeId + 1, next.id - 1));
        }
        boolean _ = fullIds.add(activeId);
      }
      activeId = next.id;
      return next;
    } finally {
      lock.unlock();
      wakePreparer();
    }
  }

  @GuardedBy("lock")
  private PreparedFile prepareNext() throws IOException {
    long id = lastId + 1;
    if (id > Integer.MAX_VALUE) {
      throw new IOException("the log has used up all file ids; the last is " + lastId);
    }
    String spare = spareNames.poll();
    String name = spare == null ? LogFileNames.newFileName(id) : spare;
    FileAccess access = options.flushing() ? FileAccess.DURABLE : FileAccess.BUFFERED;
    DiskFile file = null;
    try {
      file = spare == null ? disk.create(name, access) : disk.open(name, access);
      ByteBuffer buffer =
          disk.allocateBuffer(
              spare == null ? Math.min(MAX_FILL_BYTES, options.fileBytes()) : Disk.BLOCK_BYTES);
      if (spare == null) {
        for (long at = 0; at < options.fileBytes(); at += buffer.limit()) {
          buffer.clear().limit((int) Math.min(buffer.capacity(), options.fileBytes() - at));
          file.writeFully(buffer, at, SyncPoint.PREPARED);
        }
      }
      buffer.clear().limit(Disk.BLOCK_BYTES);
      new LogFileHeader(catalog.identity(), id, options.fileBytes()).write(buffer);
      file.writeFully(buffer, 0, SyncPoint.PREPARED);
      // Even where every write is durable: the length and other metadata must be durable too.
      file.force(SyncPoint.PREPARED);
      // From here on, a failure costs only an id.
      lastId = id;
      disk.rename(name, LogFileNames.fileName(id));
      disk.syncNames(SyncPoint.PREPARED_NAME);
      failure = null;
      return new PreparedFile(id, file);
    } catch (IOException e) {
      if (file != null) {
        file.close();
      }
      if (lastId != id) {
        // On a full disk, others need the space of the part that was written.
        disk.delete(name);
      }
      throw e;
    }
  }

  /** The disk that holds the files. */
  Disk disk() {
    return disk;
  }

  /** The ids of all files that hold something, in order; the last one is written to. */
  List<Long> fileIds() {
    lock.lock();
    try {
      List<Long> ids = new ArrayList<>(fullIds);
      ids.add(activeId);
      return ids;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Drops a full file. Its space is used again or given back.
   *
   * @throws IllegalArgumentException if it is not a full file
   * @throws IOException if the drop cannot be made durable; the file may be back when the log is
   *     opened
   */
  void dropFile(long id) throws IOException {
    lock.lock();
    try {
      if (!fullIds.contains(id)) {
        throw new IllegalArgumentException(
            "file %s is not among the full files %s; only those can be dropped"
                .formatted(id, fullIds));
      }
      dropUnusedIds(new LogCatalog.FileRange(id, id));
      boolean _ = fullIds.remove(id);
      DiskFile reader = readers.remove(id);
      if (reader != null) {
        reader.close();
      }
      recycleOrDelete(LogFileNames.fileName(id));
    } finally {
      lock.unlock();
      wakePreparer();
    }
  }

  /** Records in the catalog that these files do not belong to the log. */
  void dropUnusedIds(LogCatalog.FileRange ids) throws IOException {
    lock.lock();
    try {
      LogCatalog without = catalog.withDropped(ids);
      without.write(disk);
      catalog = without;
    } finally {
      lock.unlock();
    }
  }

  /** Keeps a file that the catalog calls dropped as a spare, or deletes it. */
  void recycleOrDelete(String name) throws IOException {
    lock.lock();
    try {
      if (spareNames.size() < options.spareFiles() && hasLength(name)) {
        spareNames.add(name);
      } else {
        disk.delete(name);
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean hasLength(String name) throws IOException {
    try (DiskFile file = disk.open(name, FileAccess.READ)) {
      return file.length() == options.fileBytes();
    }
  }

  /**
   * Opens a file to read from it.
   *
   * @throws ClosedChannelException if it was dropped, or the log is closed
   * @throws IOException if it cannot be opened
   */
  DiskFile openReader(long id) throws IOException {
    DiskFile open = readers.get(id);
    if (open != null) {
      return open;
    }
    lock.lock();
    try {
      open = readers.get(id);
      if (open == null) {
        if (closed || (id != activeId && !fullIds.contains(id))) {
          throw new ClosedChannelException();
        }
        open = disk.open(LogFileNames.fileName(id), FileAccess.READ);
        readers.put(id, open);
      }
      return open;
    } finally {
      lock.unlock();
    }
  }

  /** Closes everything that is open, except the file that is written to. */
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
      wakePreparer();
    }
  }
}
