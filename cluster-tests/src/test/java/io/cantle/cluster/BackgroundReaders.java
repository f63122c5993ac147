package io.cantle.cluster;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Readers that iterate and stream all the time, one thread for each cache, and remember what was
 * wrong.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
final class BackgroundReaders implements AutoCloseable {
  private final int stableCount;
  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> readMistakes = new ConcurrentLinkedQueue<>();
  private final AtomicLong rounds = new AtomicLong();
  private volatile boolean stopped;

  BackgroundReaders(List<Cache<String, Long>> caches, int stableCount) {
    this.stableCount = stableCount;
    for (Cache<String, Long> cache : caches) {
      threads.add(Thread.ofVirtual().name("reader").start(() -> startReading(cache)));
    }
  }

  private void startReading(Cache<String, Long> cache) {
    try {
      while (!stopped) {
        iterateOnce(cache);
        long streamed =
            cache.keySet().stream()
                .filter(UnchangingEntries::isStable)
                .map(_ -> 1L)
                .reduce(0L, Long::sum);
        if (streamed != stableCount) {
          readMistakes.add("a stream counted " + streamed + " of " + stableCount);
        }
        rounds.incrementAndGet();
      }
    } catch (RuntimeException e) {
      readMistakes.add("reading ended with " + e);
    }
  }

  private void iterateOnce(Cache<String, Long> cache) {
    UnchangingEntries stable = new UnchangingEntries(stableCount);
    try (CloseableIterator<String> keys = cache.keySet().iterator()) {
      stable.recordDeliveries(keys, Integer.MAX_VALUE);
    }
    List<String> mistakes = stable.mistakes();
    if (!mistakes.isEmpty()) {
      readMistakes.add("in an iteration " + mistakes);
    }
  }

  /** Returns when this many more rounds were read, or something went wrong. */
  void awaitMoreRounds(int more) {
    long wanted = rounds.get() + more;
    ConditionWait.until(
        more + " more rounds of reading",
        () -> rounds.get() >= wanted || !readMistakes.isEmpty(),
        () -> readMistakes);
  }

  /** Ends reading, then returns what was wrong; must be empty. */
  List<String> mistakes() {
    close();
    return List.copyOf(readMistakes);
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
