package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that no count is lost, whichever threads share a stripe. */
final class StripedCountersTest {
  private static final int THREADS = 8;
  private static final int COUNTS = 100_000;

  private final StripedCounters counters = new StripedCounters(2);

  @Test
  void everyCountOfEveryThreadIsInTheSum() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(Thread.ofPlatform().start(this::count));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    // Other threads have the stripes of those that have ended.
    count();

    assertThat(counters.sum(0)).isEqualTo((THREADS + 1L) * COUNTS);
    assertThat(counters.sum(1)).isEqualTo(5L * (THREADS + 1) * COUNTS);
    assertThat(counters.sum(2)).isZero();
  }

  @Test
  void countHereGrowsWithWhatThisThreadCounts() {
    long before = counters.countHere(3);
    counters.increment(3);
    counters.add(3, 2);
    assertThat(counters.countHere(3) - before).isEqualTo(3);
  }

  private void count() {
    for (int i = 0; i < COUNTS; i++) {
      counters.increment(0);
      counters.add(1, 5);
    }
  }
}
