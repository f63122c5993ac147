package io.cantle.cluster;

import io.cantle.Cache;
import io.cantle.CacheFullException;
import io.cantle.Grid;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * Many callers that put values of all sizes into a cache without a bound, each under a key of its
 * own, until the heap is full, and go on. One of them puts values that grow to 10 MB, as a report
 * about another data grid does (hazelcast#13529).
 *
 * <p><b>Threading:</b> one thread.
 */
final class FullHeapLoad {
  private static final int CALLERS = 16;
  private static final int LARGEST_BYTES = 10 << 20;
  private static final int KEYS_OF_CALLER = 10_000_000;

  /** How often each caller is refused until it ends. */
  private static final int REFUSALS = 300;

  private final Grid grid;
  private final Cache<Integer, byte[]> cache;
  private final Map<Integer, Integer> acknowledged = new ConcurrentHashMap<>();
  private final AtomicInteger nextRound = new AtomicInteger();
  private final AtomicReference<@Nullable String> refusal = new AtomicReference<>();

  FullHeapLoad(Grid grid, Cache<Integer, byte[]> cache) {
    this.grid = grid;
    this.cache = cache;
  }

  /** Puts until all callers were refused often; returns what the last one was told. */
  String fill() throws InterruptedException {
    int round = nextRound.getAndIncrement();
    CountDownLatch ended = new CountDownLatch(CALLERS);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    for (int i = 0; i < CALLERS; i++) {
      int caller = i;
      Thread.ofPlatform()
          .start(
              () -> {
                try {
                  put(round, caller);
                } catch (RuntimeException | Error e) {
                  failure.set(e);
                } finally {
                  ended.countDown();
                }
              });
    }
    ended.await();
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new IllegalStateException("a caller failed", thrown);
    }
    return String.valueOf(refusal.get());
  }

  private void put(int round, int caller) {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(round * 1_000L + caller);
    int refused = 0;
    for (int i = 0; refused < REFUSALS; i++) {
      int key = (round * CALLERS + caller) * KEYS_OF_CALLER + i;
      int bytes = caller == 0 ? Math.min(1_000 * (i + 1), LARGEST_BYTES) : sizeOf(random);
      try {
        cache.put(key, new byte[bytes]);
        acknowledged.put(key, bytes);
      } catch (CacheFullException full) {
        refused++;
        refusal.set(full.getMessage());
      }
    }
  }

  private static int sizeOf(RandomGenerator random) {
    return switch (random.nextInt(20)) {
      case 0 -> random.nextInt(1_000_000);
      case 1, 2, 3 -> random.nextInt(100_000);
      default -> random.nextInt(10_000);
    };
  }

  /** How many acknowledged values are not there, or are not as they were put. */
  int lostCount() {
    int lost = 0;
    for (Map.Entry<Integer, Integer> put : acknowledged.entrySet()) {
      byte[] found = cache.get(put.getKey());
      lost += found != null && found.length == put.getValue() ? 0 : 1;
    }
    return lost;
  }

  int acknowledgedCount() {
    return acknowledged.size();
  }

  /** Removes every other value. */
  void removeHalf() {
    boolean removes = false;
    for (Integer key : List.copyOf(acknowledged.keySet())) {
      removes = !removes;
      if (removes) {
        cache.remove(key);
        acknowledged.remove(key);
      }
    }
  }

  void clear() {
    cache.clear();
    acknowledged.clear();
  }

  /** What the grid says of the heap. */
  String figures() {
    return grid.heapFigures().toString();
  }
}
