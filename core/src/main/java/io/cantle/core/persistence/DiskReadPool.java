package io.cantle.core.persistence;

import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.store.segment.SegmentStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads entries for those who must not wait. Reads overtake each other, and writes. As much is
 * waiting as is asked for: every caller waits for its own, and has a deadline.
 *
 * <p>Who looks one entry up comes before those who want many at once. If there is always one, the
 * others get half of the reads. Long lists are read in parts, by as many threads as there are.
 *
 * <p><b>Threading:</b> any thread asks; {@link #run} is for some threads at once.
 */
final class DiskReadPool implements Runnable {
  private static final System.Logger LOG = System.getLogger(DiskReadPool.class.getName());

  /** How many entries of a list one thread reads before it looks what else there is. */
  static final int MAX_PART_ENTRIES = 32;

  private final SegmentStore store;
  private final Clock clock;
  private final Consumer<Throwable> failureHandler;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition workAvailable = lock.newCondition();
  private final ArrayDeque<ReadRequest> singleReads = new ArrayDeque<>();
  private final ArrayDeque<ReadRequest> listReads = new ArrayDeque<>();

  /** What is waiting and what is being read. */
  private final Set<ReadRequest> openReads = new LinkedHashSet<>();

  /** How many single ones were taken while lists were waiting. */
  private int singlesInARow;

  private boolean stopped;

  /** When a read has ended, or began while there was no other. */
  private long progressNanos;

  /** What somebody asked for. */
  private static final class ReadRequest {
    final int cache;
    final int segment;
    final List<Entry> evicted;
    final Consumer<List<@Nullable Entry>> onRead;
    final Runnable onAbandoned;

    /** Each element is set by who has its part; seen by all once the lock was held. */
    final @Nullable Entry[] found;

    /** Where the next part begins, and how many are not read yet; guarded by the lock. */
    private int nextIndex;

    private int remaining;

    ReadRequest(
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

  private record ReadPart(ReadRequest request, int from, int to) {}

  /**
   * Reads from a store.
   *
   * @param failureHandler told why a read failed; more than once, perhaps
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
    ReadRequest request = new ReadRequest(cache, segment, evicted, onRead, onAbandoned);
    if (!tryEnqueue(request)) {
      onAbandoned.run();
    }
  }

  private boolean tryEnqueue(ReadRequest request) {
    lock.lock();
    try {
      if (stopped) {
        return false;
      }
      if (openReads.isEmpty()) {
        progressNanos = clock.nanoTime();
      }
      openReads.add(request);
      if (request.evicted.size() == 1) {
        singleReads.add(request);
        workAvailable.signal();
      } else {
        listReads.add(request);
        workAvailable.signalAll();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** For how long no read has come to its end although some were to, 0 if none is. */
  long stalledNanos() {
    lock.lock();
    try {
      return openReads.isEmpty() ? 0 : clock.nanoTime() - progressNanos;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the threads once they have read what was asked for before; nothing more is. */
  void end() {
    lock.lock();
    try {
      stopped = true;
      workAvailable.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Nothing is read any more, and whoever waits is told: the store has failed. */
  void abandon() {
    List<ReadRequest> waiting;
    lock.lock();
    try {
      stopped = true;
      waiting = List.copyOf(openReads);
      openReads.clear();
      singleReads.clear();
      listReads.clear();
      workAvailable.signalAll();
    } finally {
      lock.unlock();
    }
    waiting.forEach(request -> request.onAbandoned.run());
  }

  /** Whatever goes wrong is told: somebody waits for what was asked for. */
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

  /** What is to be read next; null if there will be nothing. */
  private @Nullable ReadPart takePart() throws InterruptedException {
    lock.lock();
    try {
      while (singleReads.isEmpty() && listReads.isEmpty()) {
        if (stopped) {
          return null;
        }
        workAvailable.await();
      }
      boolean isList =
          singleReads.isEmpty() || (!listReads.isEmpty() && singlesInARow >= MAX_PART_ENTRIES);
      singlesInARow = isList || listReads.isEmpty() ? 0 : singlesInARow + 1;
      ArrayDeque<ReadRequest> from = isList ? listReads : singleReads;
      ReadRequest request = from.element();
      int first = request.nextIndex;
      request.nextIndex = Math.min(first + MAX_PART_ENTRIES, request.evicted.size());
      if (request.nextIndex == request.evicted.size()) {
        from.remove();
      }
      return new ReadPart(request, first, request.nextIndex);
    } finally {
      lock.unlock();
    }
  }

  private void readPart(ReadPart part) {
    ReadRequest request = part.request;
    try {
      for (int i = part.from; i < part.to; i++) {
        request.found[i] = readEntry(request, request.evicted.get(i));
      }
    } catch (IOException | RuntimeException | Error e) {
      failureHandler.accept(e);
      abandon();
      return;
    }
    if (completePart(part)) {
      deliver(request);
    }
  }

  /** Notes that a part was read; returns whether it was the last one, and is waited for. */
  private boolean completePart(ReadPart part) {
    lock.lock();
    try {
      progressNanos = clock.nanoTime();
      part.request.remaining -= part.to - part.from;
      return part.request.remaining == 0 && openReads.remove(part.request);
    } finally {
      lock.unlock();
    }
  }

  /** That something goes wrong with what was read is no failure of the disk. */
  private static void deliver(ReadRequest request) {
    try {
      request.onRead.accept(Arrays.asList(request.found));
    } catch (RuntimeException | Error e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "what was to follow a read from disk failed: whoever waits for it is not answered, and"
              + " asks again or is told that its time is up",
          e);
    }
  }

  private @Nullable Entry readEntry(ReadRequest request, Entry evicted) throws IOException {
    return store
        .get(request.cache, request.segment, evicted.hash(), evicted.bytes())
        .map(StoredEntryCodec::decodeEntry)
        .filter(kept -> kept.compareVersion(evicted.epoch(), evicted.index()) == 0)
        .orElse(null);
  }
}
