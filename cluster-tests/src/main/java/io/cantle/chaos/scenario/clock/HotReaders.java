package io.cantle.chaos.scenario.clock;

import io.cantle.Cache;
import io.cantle.GridException;
import io.cantle.chaos.process.JsonLine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Threads that read counters without a break, those this node owned when they began, and compare
 * each value with what writers had been told before.
 *
 * <p><b>Threading:</b> orders come one after the other.
 */
final class HotReaders {
  private static final int THREADS = 2;

  private final Cache<Integer, Long> cache;
  private final String node;
  private final AckedCounters acked;
  private final List<Thread> threads = new ArrayList<>();
  private int[] owned = {};
  private Findings findings = new Findings();

  /** What one round of reading finds. */
  private static final class Findings {
    final AtomicBoolean ending = new AtomicBoolean();
    final LongAdder reads = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder stale = new LongAdder();
    volatile @Nullable String first;
  }

  HotReaders(Cache<Integer, Long> cache, String node, AckedCounters acked) {
    this.cache = cache;
    this.node = node;
    this.acked = acked;
  }

  /** Begins to read. */
  synchronized void start() {
    owned =
        IntStream.range(0, FrozenClockNode.COUNTERS)
            .filter(counter -> cache.owners(counter).contains(node))
            .toArray();
    Findings round = new Findings();
    findings = round;
    for (int i = 0; i < THREADS; i++) {
      int first = i * owned.length / THREADS;
      threads.add(Thread.ofPlatform().daemon().start(() -> read(round, first)));
    }
  }

  /** Returns the counters that are read, separated by commas. */
  synchronized String owned() {
    return String.join(",", IntStream.of(owned).mapToObj(Integer::toString).toList());
  }

  /** Ends the reading; returns what was found. */
  synchronized JsonLine stop() throws InterruptedException {
    findings.ending.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    threads.clear();
    JsonLine found =
        JsonLine.empty()
            .with("reads", findings.reads.sum())
            .with("refused", findings.refused.sum())
            .with("stale", findings.stale.sum());
    String first = findings.first;
    return first == null ? found : found.with("first", first);
  }

  private void read(Findings round, int first) {
    int[] counters = owned;
    for (int i = first; !round.ending.get() && counters.length > 0; i++) {
      int counter = counters[i % counters.length];
      long before = acked.get(counter);
      try {
        Long value = cache.get(counter);
        long read = value == null ? 0 : value;
        round.reads.increment();
        if (read < before) {
          round.stale.increment();
          round.first =
              "counter " + counter + " was " + read + " but " + before + " was acked before";
        }
      } catch (GridException e) {
        round.refused.increment();
      }
    }
  }
}
