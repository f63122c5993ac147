package io.cantle.cluster;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One thread for each cache that iterates and streams all the time, and remembers what was not as
 * it should be.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
final class Readers implements AutoCloseable {
  private final int stableCount;
  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicLong rounds = new AtomicLong();
  private volatile boolean stopped;

  Readers(List<Cache<String, Long>> caches, int stableCount) {
    this.stableCount = stableCount;
    for (Cache<String, Long> cache : caches) {
      threads.add(Thread.ofVirtual().name("reader").start(() -> read(cache)));
    }
  }

  private void read(Cache<String, Long> cache) {
    try {
      while (!stopped) {
        iterate(cache);
        long streamed =
            cache.keySet().stream().filter(Stable::isStable).map(_ -> 1L).reduce(0L, Long::sum);
        if (streamed != stableCount) {
          wrong.add("a stream counted " + streamed + " of " + stableCount);
        }
        rounds.incrementAndGet();
      }
    } catch (RuntimeException e) {
      wrong.add("reading ended with " + e);
    }
  }

  private void iterate(Cache<String, Long> cache) {
    Stable stable = new Stable(stableCount);
    try (CloseableIterator<String> keys = cache.keySet().iterator()) {
      stable.take(keys, Integer.MAX_VALUE);
    }
    List<String> mistakes = stable.mistakes();
    if (!mistakes.isEmpty()) {
      wrong.add("in an iteration " + mistakes);
    }
  }

  /** Returns when so many more rounds were read, or something went wrong. */
  void awaitMore(int more) {
    long wanted = rounds.get() + more;
    Await.until(
        more + " more rounds of reading",
        () -> rounds.get() >= wanted || !wrong.isEmpty(),
        () -> wrong);
  }

  /** Ends reading, then lists what was wrong; nothing may be. */
  List<String> mistakes() {
    close();
    return List.copyOf(wrong);
  }

  @Override
  public void close() {
    stopped = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
