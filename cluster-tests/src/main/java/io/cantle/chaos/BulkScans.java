package io.cantle.chaos;

import static io.cantle.simulation.RecordedKeyHistory.ABSENT;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.Grid;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that run many iterations over long values at once, in nodes whose heaps cannot hold
 * everything these iterations may request. Some iterations are complete, some are slow, and some
 * are abandoned.
 *
 * <p><b>Threading:</b> each client has a virtual thread; the methods any thread.
 */
final class BulkScans {
  private static final int VALUE_BYTES = 16_000;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(150);
  private static final int PAUSE_ELEMENTS = 50;
  private static final int MAX_ABANDONED = 50;
  private static final System.Logger LOGGER = System.getLogger(BulkScans.class.getName());

  private final ChaosNodeSettings settings;
  private final Cache<String, byte[]> cache;
  private final CallRecorder log;
  private final AtomicInteger running = new AtomicInteger();
  private volatile boolean stopped;

  BulkScans(ChaosNodeSettings settings, Grid grid, CallRecorder log) {
    this.settings = settings;
    this.cache = grid.cache("bulk", CacheConfig.distributed().owners(settings.owners()));
    this.log = log;
  }

  /** Puts the values; called on one node, before any node starts its iterations. */
  void fill() {
    KeyGenerations.stableKeys().forEach(key -> cache.put(key, new byte[VALUE_BYTES]));
  }

  void start() {
    for (int number = 0; number < settings.scans(); number++) {
      String client = settings.place() + "." + settings.incarnation() + ".scan" + number;
      SplittableRandom random = new SplittableRandom(settings.seed() + number);
      running.incrementAndGet();
      Thread.ofVirtual().start(() -> scan(client, random));
    }
  }

  /** Ends each iteration at its next element. */
  void stop() {
    stopped = true;
  }

  /** Returns how many clients have not ended. */
  int running() {
    return running.get();
  }

  private void scan(String client, SplittableRandom random) {
    List<Iterator<?>> abandoned = new ArrayList<>();
    try {
      while (!stopped) {
        boolean succeeded =
            switch (random.nextInt(4)) {
              case 0 -> abandon(client, abandoned);
              case 1 -> iterate(client, PAUSE_NANOS);
              default -> iterate(client, 0);
            };
        if (!succeeded) {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
        if (abandoned.size() >= MAX_ABANDONED) {
          abandoned.clear();
        }
      }
    } finally {
      running.decrementAndGet();
    }
  }

  /** Reads one element of an iteration and abandons it; the history never learns how it ended. */
  private boolean abandon(String client, List<Iterator<?>> abandoned) {
    long number = invoke(client);
    try {
      Iterator<String> keys = cache.keySet().iterator();
      keys.next();
      abandoned.add(keys);
      return true;
    } catch (RuntimeException e) {
      fail(client, number, e);
      return false;
    }
  }

  private boolean iterate(String client, long pauseNanos) {
    long number = invoke(client);
    IterationCheck iteration = new IterationCheck();
    try (CloseableIterator<Map.Entry<String, byte[]>> entries = cache.entrySet().iterator()) {
      while (entries.hasNext()) {
        iteration.recordDelivery(entries.next().getKey());
        if (stopped) {
          return true;
        }
        if (pauseNanos > 0 && iteration.deliveredCount() % PAUSE_ELEMENTS == 0) {
          LockSupport.parkNanos(pauseNanos);
        }
      }
      log.recordIteration(client, number, iteration);
      return true;
    } catch (RuntimeException e) {
      fail(client, number, e);
      return false;
    }
  }

  private long invoke(String client) {
    return log.recordInvoke(client, CallKind.ITERATE, "", ABSENT, ABSENT);
  }

  private void fail(String client, long number, RuntimeException error) {
    LOGGER.log(System.Logger.Level.INFO, "an iteration of {0} failed: {1}", client, error);
    if (ChaosClient.isExpected(error) || (stopped && error instanceof IllegalStateException)) {
      log.recordFail(client, number, error);
    } else {
      log.recordBroken(client, number, error);
    }
  }
}
