package io.cantle.core.store;

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
final class Reader implements Runnable {
  private static final System.Logger LOG = System.getLogger(Reader.class.getName());

  /** How many entries of a list one thread reads before it looks what else there is. */
  static final int PART = 32;

  private final SegmentStore store;
  private final Clock clock;
  private final Consumer<Throwable> failed;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final ArrayDeque<Asked> singles = new ArrayDeque<>();
  private final ArrayDeque<Asked> lists = new ArrayDeque<>();

  /** What is waiting and what is being read. */
  private final Set<Asked> open = new LinkedHashSet<>();

  /** How many single ones were taken while lists were waiting. */
  private int inARow;

  private boolean ended;

  /** When a read has ended, or began while there was no other. */
  private long progress;

  /** What somebody asked for. */
  private static final class Asked {
    final int cache;
    final int segment;
    final List<Entry> evicted;
    final Consumer<List<@Nullable Entry>> then;
    final Runnable over;

    /** Each element is set by who has its part; seen by all once the lock was held. */
    final @Nullable Entry[] found;

    /** Where the next part begins, and how many are not read yet; guarded by the lock. */
    private int next;

    private int left;

    Asked(
        int cache,
        int segment,
        List<Entry> evicted,
        Consumer<List<@Nullable Entry>> then,
        Runnable over) {
      this.cache = cache;
      this.segment = segment;
      this.evicted = evicted;
      this.then = then;
      this.over = over;
      this.found = new @Nullable Entry[evicted.size()];
      this.left = evicted.size();
    }
  }

  private record Part(Asked of, int from, int to) {}

  /**
   * Reads from a store.
   *
   * @param failed told why a read failed; more than once, perhaps
   */
  Reader(SegmentStore store, Clock clock, Consumer<Throwable> failed) {
    this.store = store;
    this.clock = clock;
    this.failed = failed;
  }

  /** See {@link Shelf#read}. */
  void add(
      int cache,
      int segment,
      List<Entry> evicted,
      Consumer<List<@Nullable Entry>> then,
      Runnable over) {
    Asked asked = new Asked(cache, segment, evicted, then, over);
    if (!isTaken(asked)) {
      over.run();
    }
  }

  private boolean isTaken(Asked asked) {
    lock.lock();
    try {
      if (ended) {
        return false;
      }
      if (open.isEmpty()) {
        progress = clock.nanoTime();
      }
      open.add(asked);
      if (asked.evicted.size() == 1) {
        singles.add(asked);
        more.signal();
      } else {
        lists.add(asked);
        more.signalAll();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** For how long no read has come to its end although some were to, 0 if none is. */
  long waitsNanos() {
    lock.lock();
    try {
      return open.isEmpty() ? 0 : clock.nanoTime() - progress;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the threads once they have read what was asked for before; nothing more is. */
  void end() {
    lock.lock();
    try {
      ended = true;
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Nothing is read any more, and whoever waits is told: the store has failed. */
  void giveUp() {
    List<Asked> waiting;
    lock.lock();
    try {
      ended = true;
      waiting = List.copyOf(open);
      open.clear();
      singles.clear();
      lists.clear();
      more.signalAll();
    } finally {
      lock.unlock();
    }
    waiting.forEach(asked -> asked.over.run());
  }

  /** Whatever goes wrong is told: somebody waits for what was asked for. */
  @Override
  public void run() {
    try {
      for (Part part; (part = take()) != null; ) {
        attempt(part);
      }
    } catch (InterruptedException e) {
      failed.accept(e);
      giveUp();
    }
  }

  /** What is to be read next; null if there will be nothing. */
  private @Nullable Part take() throws InterruptedException {
    lock.lock();
    try {
      while (singles.isEmpty() && lists.isEmpty()) {
        if (ended) {
          return null;
        }
        more.await();
      }
      boolean isList = singles.isEmpty() || (!lists.isEmpty() && inARow >= PART);
      inARow = isList || lists.isEmpty() ? 0 : inARow + 1;
      ArrayDeque<Asked> from = isList ? lists : singles;
      Asked asked = from.element();
      int first = asked.next;
      asked.next = Math.min(first + PART, asked.evicted.size());
      if (asked.next == asked.evicted.size()) {
        from.remove();
      }
      return new Part(asked, first, asked.next);
    } finally {
      lock.unlock();
    }
  }

  private void attempt(Part part) {
    Asked asked = part.of;
    try {
      for (int i = part.from; i < part.to; i++) {
        asked.found[i] = read(asked, asked.evicted.get(i));
      }
    } catch (IOException | RuntimeException | Error e) {
      failed.accept(e);
      giveUp();
      return;
    }
    if (isComplete(part)) {
      follow(asked);
    }
  }

  /** Notes that a part was read; returns whether it was the last one, and is waited for. */
  private boolean isComplete(Part part) {
    lock.lock();
    try {
      progress = clock.nanoTime();
      part.of.left -= part.to - part.from;
      return part.of.left == 0 && open.remove(part.of);
    } finally {
      lock.unlock();
    }
  }

  /** That something goes wrong with what was read is no failure of the disk. */
  private static void follow(Asked asked) {
    try {
      asked.then.accept(Arrays.asList(asked.found));
    } catch (RuntimeException | Error e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "what was to follow a read from disk failed: whoever waits for it is not answered, and"
              + " asks again or is told that its time is up",
          e);
    }
  }

  private @Nullable Entry read(Asked asked, Entry evicted) throws IOException {
    return store
        .get(asked.cache, asked.segment, evicted.hash(), evicted.bytes())
        .map(Kept::entry)
        .filter(kept -> kept.compareVersion(evicted.epoch(), evicted.index()) == 0)
        .orElse(null);
  }
}
