package io.cantle.core.store;

import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.store.segment.SegmentStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads entries for those who must not wait. Reads overtake each other, and writes. As much is
 * waiting as is asked for: every caller waits for its own, and has a deadline.
 *
 * <p><b>Threading:</b> any thread asks; {@link #run} is for some threads at once.
 */
final class Reader implements Runnable {
  private static final Task END = new Task(0, 0, List.of(), entries -> {});

  private final SegmentStore store;
  private final Clock clock;
  private final Consumer<Throwable> failed;
  private final ReentrantLock lock = new ReentrantLock();
  private int open;

  /** When a read has ended, or began while there was no other. */
  private long progress;

  private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();

  private record Task(
      int cache, int segment, List<Entry> evicted, Consumer<List<@Nullable Entry>> then) {}

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
  void add(int cache, int segment, List<Entry> evicted, Consumer<List<@Nullable Entry>> then) {
    count(1);
    tasks.add(new Task(cache, segment, evicted, then));
  }

  private void count(int more) {
    lock.lock();
    try {
      if (open == 0 || more < 0) {
        progress = clock.nanoTime();
      }
      open += more;
    } finally {
      lock.unlock();
    }
  }

  /** For how long no read has come to its end although some were to, 0 if none is. */
  long waitsNanos() {
    lock.lock();
    try {
      return open == 0 ? 0 : clock.nanoTime() - progress;
    } finally {
      lock.unlock();
    }
  }

  /** Ends as many threads, once they have read what was asked for before. */
  void end(int threads) {
    for (int i = 0; i < threads; i++) {
      tasks.add(END);
    }
  }

  /** Whatever goes wrong is told: somebody waits for what was asked for. */
  @Override
  @SuppressWarnings("ReferenceEquality") // END is one object.
  public void run() {
    try {
      for (Task task; (task = tasks.take()) != END; ) {
        attempt(task);
      }
    } catch (InterruptedException e) {
      failed.accept(e);
    }
  }

  private void attempt(Task task) {
    try {
      List<@Nullable Entry> found = new ArrayList<>(task.evicted.size());
      for (Entry entry : task.evicted) {
        found.add(read(task, entry));
      }
      task.then.accept(found);
    } catch (IOException | RuntimeException | Error e) {
      failed.accept(e);
    } finally {
      count(-1);
    }
  }

  private @Nullable Entry read(Task task, Entry evicted) throws IOException {
    return store
        .get(task.cache, task.segment, evicted.hash(), evicted.bytes())
        .map(Kept::entry)
        .filter(kept -> kept.compareVersion(evicted.epoch(), evicted.index()) == 0)
        .orElse(null);
  }
}
