package io.cantle.core.persistence;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.store.segment.SegmentStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A pool of threads that read entries from disk, for callers that must not wait. Reads may overtake
 * each other, and writes. The queue is not bounded; its length is limited by the number of callers,
 * each of which waits for its own reads and has a deadline.
 *
 * <p>Reads of a single entry come before reads of many entries. If single reads never run out,
 * lists still get half of the reads. A long list is read in parts, by as many threads as are free.
 *
 * <p><b>Threading:</b> any thread submits; several threads execute {@link #run} at once.
 */
final class DiskReadPool implements Runnable {
  private static final System.Logger LOG = System.getLogger(DiskReadPool.class.getName());

  /** How many entries of a list a thread reads before it looks for other work. */
  static final int MAX_PART_ENTRIES = 32;

  private final SegmentStore store;
  private final Clock clock;
  private final Consumer<Throwable> failureHandler;

  @GuardedBy("this")
  private final ArrayDeque<DiskRead> singleReads = new ArrayDeque<>();

  @GuardedBy("this")
  private final ArrayDeque<DiskRead> listReads = new ArrayDeque<>();

  /** The requests that wait or are being read. */
  @GuardedBy("this")
  private final Set<DiskRead> openReads = new LinkedHashSet<>();

  /** The number of single reads taken in a row while lists were waiting. */
  @GuardedBy("this")
  private int singlesInARow;

  @GuardedBy("this")
  private boolean stopped;

  /** When a read last ended, or began while there was no other. */
  @GuardedBy("this")
  private long progressNanos;

  /** One request to read entries. */
  private static final class DiskRead {
    final int cache;
    final int segment;
    final List<Entry> evicted;
    final Consumer<List<@Nullable Entry>> onRead;
    final Runnable onAbandoned;

    /**
     * Each element is set by the thread that reads its part; all see it once they hold the lock.
     */
    final @Nullable Entry[] found;

    /** Where the next part begins, and how many entries are not read yet; only with the lock. */
    private int nextIndex;

    private int remaining;

    DiskRead(
        int cache,
        int segment,
        List<Entry> evicted,
        Consumer<List<@Nullable Entry>> onRead,
        Runnable onAbandoned) {
      this.cache = cache;
      this.segment = segment;
      this.evicted = evicted;
      this.onRead = onRead;
      this.onAbandoned = onAbandoned;
      this.found = new @Nullable Entry[evicted.size()];
      this.remaining = evicted.size();
    }
  }

  private record ReadPart(DiskRead diskRead, int from, int to) {}

  /**
   * Creates a pool that reads from a store.
   *
   * @param failureHandler receives the cause of a failed read; possibly more than once
   */
  DiskReadPool(SegmentStore store, Clock clock, Consumer<Throwable> failureHandler) {
    this.store = store;
    this.clock = clock;
    this.failureHandler = failureHandler;
  }

  /** See {@link ReplicaStore#read}. */
  void submit(
      int cache,
      int segment,
      List<Entry> evicted,
      Consumer<List<@Nullable Entry>> onRead,
      Runnable onAbandoned) {
    DiskRead diskRead = new DiskRead(cache, segment, evicted, onRead, onAbandoned);
    if (!tryEnqueue(diskRead)) {
      onAbandoned.run();
    }
  }

  private synchronized boolean tryEnqueue(DiskRead diskRead) {
    if (stopped) {
      return false;
    }
    if (openReads.isEmpty()) {
      progressNanos = clock.nanoTime();
    }
    openReads.add(diskRead);
    if (diskRead.evicted.size() == 1) {
      singleReads.add(diskRead);
      notify();
    } else {
      listReads.add(diskRead);
      notifyAll();
    }
    return true;
  }

  /** How long no read has ended although some are pending; 0 if none is. */
  synchronized long stalledNanos() {
    return openReads.isEmpty() ? 0 : clock.nanoTime() - progressNanos;
  }

  /** Accepts no more requests, and ends the threads once they have served the earlier ones. */
  synchronized void end() {
    stopped = true;
    notifyAll();
  }

  /** Stops reading because the store has failed, and notifies all waiting callers. */
  void abandon() {
    List<DiskRead> waiting;
    synchronized (this) {
      stopped = true;
      waiting = List.copyOf(openReads);
      openReads.clear();
      singleReads.clear();
      listReads.clear();
      notifyAll();
    }
    waiting.forEach(diskRead -> diskRead.onAbandoned.run());
  }

  /** Reports every failure, because a caller waits for each request. */
  @Override
  public void run() {
    try {
      for (ReadPart part; (part = takePart()) != null; ) {
        readPart(part);
      }
    } catch (InterruptedException e) {
      failureHandler.accept(e);
      abandon();
    }
  }

  /** Takes the next part to read; null if there will be none. */
  private synchronized @Nullable ReadPart takePart() throws InterruptedException {
    while (singleReads.isEmpty() && listReads.isEmpty()) {
      if (stopped) {
        return null;
      }
      wait();
    }
    boolean isList =
        singleReads.isEmpty() || (!listReads.isEmpty() && singlesInARow >= MAX_PART_ENTRIES);
    singlesInARow = isList || listReads.isEmpty() ? 0 : singlesInARow + 1;
    ArrayDeque<DiskRead> from = isList ? listReads : singleReads;
    DiskRead diskRead = from.element();
    int first = diskRead.nextIndex;
    diskRead.nextIndex = Math.min(first + MAX_PART_ENTRIES, diskRead.evicted.size());
    if (diskRead.nextIndex == diskRead.evicted.size()) {
      from.remove();
    }
    return new ReadPart(diskRead, first, diskRead.nextIndex);
  }

  private void readPart(ReadPart part) {
    DiskRead diskRead = part.diskRead;
    try {
      for (int i = part.from; i < part.to; i++) {
        diskRead.found[i] = readEntry(diskRead, diskRead.evicted.get(i));
      }
    } catch (IOException | RuntimeException | Error e) {
      failureHandler.accept(e);
      abandon();
      return;
    }
    if (completePart(part)) {
      deliver(diskRead);
    }
  }

  /** Records that a part was read; returns whether the request is complete and still wanted. */
  private synchronized boolean completePart(ReadPart part) {
    progressNanos = clock.nanoTime();
    part.diskRead.remaining -= part.to - part.from;
    return part.diskRead.remaining == 0 && openReads.remove(part.diskRead);
  }

  /** Delivers the result. A failure of its consumer is not a failure of the disk. */
  private static void deliver(DiskRead diskRead) {
    try {
      diskRead.onRead.accept(Arrays.asList(diskRead.found));
    } catch (RuntimeException | Error e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "the callback of a disk read failed: its caller gets no answer, and either asks again"
              + " or times out",
          e);
    }
  }

  private @Nullable Entry readEntry(DiskRead diskRead, Entry evicted) throws IOException {
    return store
        .get(diskRead.cache, diskRead.segment, evicted.hash(), evicted.bytes())
        .map(StoredEntryCodec::decodeEntry)
        .filter(kept -> kept.compareVersion(evicted) == 0)
        .orElse(null);
  }
}
