package io.cantle.chaos;

import static io.cantle.simulation.RecordedKeyHistory.ABSENT;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import io.cantle.GridException;
import io.cantle.SegmentLostException;
import io.cantle.simulation.RecordedKeyHistory;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client that makes a call, waits a little, calls again, and records what it saw. When it finds
 * that its process was paused, it first reads what was written meanwhile: a stale read would show
 * there.
 *
 * <p><b>Threading:</b> one thread of its own; {@link #stop} any thread.
 */
final class ChaosClient implements Runnable {
  private static final CallKind[] KINDS = {
    CallKind.GET,
    CallKind.GET,
    CallKind.GET,
    CallKind.GET,
    CallKind.GET,
    CallKind.PUT,
    CallKind.PUT,
    CallKind.PUT,
    CallKind.PUT_IF_ABSENT,
    CallKind.REMOVE,
    CallKind.REPLACE,
    CallKind.REPLACE_IF,
    CallKind.REPLACE_IF,
    CallKind.REMOVE_IF,
    CallKind.MERGE,
    CallKind.COMPUTE,
    CallKind.COMPUTE_IF_ABSENT,
    CallKind.COMPUTE_IF_PRESENT,
    CallKind.ADD,
    CallKind.READ
  };
  private static final long MIN_PAUSE_NANOS = 700_000_000L;
  private static final int READS_AFTER_PAUSE = 40;
  private static final long ITERATION_PERIOD_NANOS = 5_000_000_000L;
  private static final int MAX_REMEMBERED_KEYS = 1_000;

  private final String name;
  private final Cache<String, Long> cache;
  private final KeyGenerations keys;
  private final CallRecorder log;
  private final SplittableRandom random;
  private final long thinkNanos;
  private final boolean iterates;
  private final LongSupplier values;
  private final Map<String, Long> lastSeen = new HashMap<>();
  private volatile boolean stopped;

  /**
   * Creates a client.
   *
   * @param thinkNanos how long it waits between two calls, on average
   * @param iterates whether it iterates over everything now and then
   * @param values supplies values that no other write of the run writes
   */
  ChaosClient(
      String name,
      Cache<String, Long> cache,
      KeyGenerations keys,
      CallRecorder log,
      SplittableRandom random,
      long thinkNanos,
      boolean iterates,
      LongSupplier values) {
    this.name = name;
    this.cache = cache;
    this.keys = keys;
    this.log = log;
    this.random = random;
    this.thinkNanos = thinkNanos;
    this.iterates = iterates;
    this.values = values;
  }

  /** Ends after the call in progress. */
  void stop() {
    stopped = true;
  }

  @Override
  public void run() {
    long seenNanos = System.nanoTime();
    long iteratedNanos = seenNanos;
    while (!stopped) {
      LockSupport.parkNanos(random.nextLong(2 * thinkNanos));
      long now = System.nanoTime();
      if (now - seenNanos > MIN_PAUSE_NANOS) {
        readBack(keys.generationAt(seenNanos), keys.generationAt(now));
      }
      if (iterates && now - iteratedNanos > ITERATION_PERIOD_NANOS) {
        iterate();
        iteratedNanos = System.nanoTime();
      } else if (random.nextInt(64) == 0) {
        putAll();
      } else {
        call(drawCall());
      }
      // The time before the call: the process may have been paused within it.
      seenNanos = now;
    }
  }

  /** Reads a key as a client does, for the final read of everything. */
  void read(String key) {
    call(
        new Draw(
            KeyGenerations.isCounter(key) ? CallKind.READ : CallKind.GET, key, ABSENT, ABSENT));
  }

  private record Draw(CallKind kind, String key, long expected, long value) {}

  private Draw drawCall() {
    CallKind kind = KINDS[random.nextInt(KINDS.length)];
    if (!kind.isOnRegister()) {
      return new Draw(
          kind, KeyGenerations.counterKey(random.nextInt(KeyGenerations.COUNTER_COUNT)), ABSENT, 1);
    }
    String key = keys.registerKey(keys.generationAt(System.nanoTime()), random);
    Long seen = lastSeen.get(key);
    // Now and then expects a value that cannot be there, which must be refused.
    long expected =
        kind.hasExpectedValue()
            ? seen != null && seen != ABSENT && random.nextInt(6) > 0 ? seen : values.getAsLong()
            : ABSENT;
    return new Draw(kind, key, expected, kind.hasValue() ? values.getAsLong() : ABSENT);
  }

  private void readBack(int from, int until) {
    for (int i = 0; i < READS_AFTER_PAUSE && !stopped; i++) {
      int generation = Math.max(from, until - random.nextInt(4));
      read(keys.registerKey(generation, random));
    }
  }

  private void call(Draw draw) {
    long number = log.recordInvoke(name, draw.kind, draw.key, draw.expected, draw.value);
    try {
      long result = makeCall(draw);
      log.recordOk(name, number, result);
      remember(draw, result);
    } catch (RuntimeException e) {
      recordEnd(number, draw.kind, e);
    }
  }

  private void recordEnd(long number, CallKind kind, RuntimeException error) {
    if (isExpected(error)) {
      if (!kind.isWrite() || (error instanceof GridException known && known.retrySafe())) {
        log.recordFail(name, number, error);
      } else {
        log.recordInfo(name, number, error);
      }
    } else if (stopped && error instanceof IllegalStateException) {
      // The node closes: a write in progress may have been executed.
      log.recordInfo(name, number, error);
    } else {
      log.recordBroken(name, number, error);
    }
  }

  /**
   * Returns whether an error is expected. No more owners fail at a time than the grid survives, so
   * a lost segment is not expected.
   */
  static boolean isExpected(RuntimeException error) {
    return error instanceof GridException && !(error instanceof SegmentLostException);
  }

  private long makeCall(Draw draw) {
    String key = draw.key;
    long value = draw.value;
    return switch (draw.kind) {
      case GET, READ -> parseNumber(cache.get(key));
      case PUT -> parseNumber(cache.put(key, value));
      case PUT_IF_ABSENT -> parseNumber(cache.putIfAbsent(key, value));
      case REMOVE -> parseNumber(cache.remove(key));
      case REMOVE_IF -> cache.remove(key, draw.expected) ? 1 : 0;
      case REPLACE -> parseNumber(cache.replace(key, value));
      case REPLACE_IF -> cache.replace(key, draw.expected, value) ? 1 : 0;
      case MERGE -> parseNumber(cache.merge(key, value, RecordedKeyHistory::joinValues));
      case COMPUTE -> parseNumber(cache.compute(key, (_, before) -> computeValue(before, value)));
      case COMPUTE_IF_ABSENT -> parseNumber(cache.computeIfAbsent(key, _ -> value));
      case COMPUTE_IF_PRESENT ->
          parseNumber(
              cache.computeIfPresent(
                  key, (_, before) -> RecordedKeyHistory.joinValues(before, value)));
      case ADD ->
          random.nextBoolean()
              ? parseNumber(cache.merge(key, value, Long::sum))
              : parseNumber(cache.compute(key, (_, before) -> parseNumber(before) + value));
      case ITERATE -> throw new IllegalStateException("an iteration has no single result");
    };
  }

  private static @Nullable Long computeValue(@Nullable Long before, long added) {
    long after = RecordedKeyHistory.computeValue(parseNumber(before), added);
    return after == ABSENT ? null : after;
  }

  private static long parseNumber(@Nullable Long value) {
    return value == null ? ABSENT : value;
  }

  /** Remembers what the key holds after a call, as far as the result tells. */
  private void remember(Draw draw, long result) {
    if (lastSeen.size() > MAX_REMEMBERED_KEYS) {
      lastSeen.clear();
    }
    switch (draw.kind) {
      case GET, MERGE, COMPUTE, COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT ->
          lastSeen.put(draw.key, result);
      case PUT -> lastSeen.put(draw.key, draw.value);
      case PUT_IF_ABSENT -> lastSeen.put(draw.key, result == ABSENT ? draw.value : result);
      case REPLACE -> lastSeen.put(draw.key, result == ABSENT ? ABSENT : draw.value);
      case REMOVE -> lastSeen.put(draw.key, ABSENT);
      case REPLACE_IF, REMOVE_IF -> {
        if (result == 1) {
          lastSeen.put(draw.key, draw.value);
        }
      }
      case ADD, READ, ITERATE -> {}
    }
  }

  private void putAll() {
    Map<String, Long> entries = new TreeMap<>();
    int generation = keys.generationAt(System.nanoTime());
    for (int i = random.nextInt(2, 6); i > 0; i--) {
      entries.put(keys.registerKey(generation, random), values.getAsLong());
    }
    Map<String, Long> numbers = new TreeMap<>();
    entries.forEach(
        (key, value) -> numbers.put(key, log.recordInvoke(name, CallKind.PUT, key, ABSENT, value)));
    try {
      cache.putAll(entries);
      numbers.values().forEach(number -> log.recordDone(name, number));
    } catch (RuntimeException e) {
      if (isExpected(e)) {
        // Some of them may have happened before the one that failed.
        numbers.values().forEach(number -> log.recordInfo(name, number, e));
      } else {
        numbers.values().forEach(number -> recordEnd(number, CallKind.PUT, e));
      }
    }
  }

  private void iterate() {
    long number = log.recordInvoke(name, CallKind.ITERATE, "", ABSENT, ABSENT);
    IterationCheck iteration = new IterationCheck();
    try (CloseableIterator<String> delivered = cache.keySet().iterator()) {
      while (delivered.hasNext()) {
        iteration.recordDelivery(delivered.next());
      }
      log.recordIteration(name, number, iteration);
    } catch (RuntimeException e) {
      recordEnd(number, CallKind.ITERATE, e);
    }
  }
}
