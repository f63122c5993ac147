package io.cantle.chaos;

import static io.cantle.simulation.KeyHistory.ABSENT;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import io.cantle.GridException;
import io.cantle.SegmentLostException;
import io.cantle.simulation.KeyHistory;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One client: calls, waits a little, calls again, and writes down what it saw. When it finds that
 * its process stood still it reads what was written meanwhile, before anything else: this is where
 * a stale read would show.
 *
 * <p><b>Threading:</b> one thread of its own; {@link #stop} any thread.
 */
final class Client implements Runnable {
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
  private static final long STOOD_STILL_NANOS = 700_000_000L;
  private static final int READS_AFTER_PAUSE = 40;
  private static final long ITERATION_PERIOD_NANOS = 5_000_000_000L;
  private static final int MOST_REMEMBERED = 1_000;

  private final String name;
  private final Cache<String, Long> cache;
  private final Keys keys;
  private final CallLog log;
  private final SplittableRandom random;
  private final long thinkNanos;
  private final boolean iterates;
  private final LongSupplier values;
  private final Map<String, Long> lastSeen = new HashMap<>();
  private volatile boolean stopped;

  /**
   * A client.
   *
   * @param thinkNanos how long it waits between two calls, on average
   * @param iterates whether it walks over everything now and then
   * @param values gives values that no other write of the run writes
   */
  Client(
      String name,
      Cache<String, Long> cache,
      Keys keys,
      CallLog log,
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

  /** Ends after the call it is in. */
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
      if (now - seenNanos > STOOD_STILL_NANOS) {
        readBack(keys.generation(seenNanos), keys.generation(now));
      }
      if (iterates && now - iteratedNanos > ITERATION_PERIOD_NANOS) {
        iterate();
        iteratedNanos = System.nanoTime();
      } else if (random.nextInt(64) == 0) {
        putAll();
      } else {
        call(draw());
      }
      // From before the call: the process may have stood still within it.
      seenNanos = now;
    }
  }

  /** Reads a key as a client does, for the last look at everything. */
  void read(String key) {
    call(new Draw(Keys.isCounter(key) ? CallKind.READ : CallKind.GET, key, ABSENT, ABSENT));
  }

  private record Draw(CallKind kind, String key, long expected, long value) {}

  private Draw draw() {
    CallKind kind = KINDS[random.nextInt(KINDS.length)];
    if (!kind.onRegister()) {
      return new Draw(kind, Keys.counter(random.nextInt(Keys.COUNTERS)), ABSENT, 1);
    }
    String key = keys.register(keys.generation(System.nanoTime()), random);
    Long seen = lastSeen.get(key);
    // One that cannot be there, now and then, must be refused.
    long expected =
        kind.expects()
            ? seen != null && seen != ABSENT && random.nextInt(6) > 0 ? seen : values.getAsLong()
            : ABSENT;
    return new Draw(kind, key, expected, kind.hasValue() ? values.getAsLong() : ABSENT);
  }

  private void readBack(int from, int until) {
    for (int i = 0; i < READS_AFTER_PAUSE && !stopped; i++) {
      int generation = Math.max(from, until - random.nextInt(4));
      read(keys.register(generation, random));
    }
  }

  private void call(Draw draw) {
    long number = log.invoke(name, draw.kind, draw.key, draw.expected, draw.value);
    try {
      long result = make(draw);
      log.ok(name, number, result);
      remember(draw, result);
    } catch (RuntimeException e) {
      end(number, draw.kind, e);
    }
  }

  private void end(long number, CallKind kind, RuntimeException error) {
    if (isExpected(error)) {
      if (!kind.writes() || (error instanceof GridException known && known.retrySafe())) {
        log.fail(name, number, error);
      } else {
        log.info(name, number, error);
      }
    } else if (stopped && error instanceof IllegalStateException) {
      // The node closes: what was on its way may have arrived.
      log.info(name, number, error);
    } else {
      log.broken(name, number, error);
    }
  }

  /** No more owners fail at a time than the grid survives, so a lost segment is not expected. */
  static boolean isExpected(RuntimeException error) {
    return error instanceof GridException && !(error instanceof SegmentLostException);
  }

  private long make(Draw draw) {
    String key = draw.key;
    long value = draw.value;
    return switch (draw.kind) {
      case GET, READ -> number(cache.get(key));
      case PUT -> number(cache.put(key, value));
      case PUT_IF_ABSENT -> number(cache.putIfAbsent(key, value));
      case REMOVE -> number(cache.remove(key));
      case REMOVE_IF -> cache.remove(key, draw.expected) ? 1 : 0;
      case REPLACE -> number(cache.replace(key, value));
      case REPLACE_IF -> cache.replace(key, draw.expected, value) ? 1 : 0;
      case MERGE -> number(cache.merge(key, value, KeyHistory::joined));
      case COMPUTE -> number(cache.compute(key, (_, before) -> computed(before, value)));
      case COMPUTE_IF_ABSENT -> number(cache.computeIfAbsent(key, _ -> value));
      case COMPUTE_IF_PRESENT ->
          number(cache.computeIfPresent(key, (_, before) -> KeyHistory.joined(before, value)));
      case ADD ->
          random.nextBoolean()
              ? number(cache.merge(key, value, Long::sum))
              : number(cache.compute(key, (_, before) -> number(before) + value));
      case ITERATE -> throw new IllegalStateException("an iteration has no single result");
    };
  }

  private static @Nullable Long computed(@Nullable Long before, long added) {
    long after = KeyHistory.computed(number(before), added);
    return after == ABSENT ? null : after;
  }

  private static long number(@Nullable Long value) {
    return value == null ? ABSENT : value;
  }

  /** Keeps what the key holds after a call, as far as the result tells. */
  private void remember(Draw draw, long result) {
    if (lastSeen.size() > MOST_REMEMBERED) {
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
    int generation = keys.generation(System.nanoTime());
    for (int i = random.nextInt(2, 6); i > 0; i--) {
      entries.put(keys.register(generation, random), values.getAsLong());
    }
    Map<String, Long> numbers = new TreeMap<>();
    entries.forEach(
        (key, value) -> numbers.put(key, log.invoke(name, CallKind.PUT, key, ABSENT, value)));
    try {
      cache.putAll(entries);
      numbers.values().forEach(number -> log.done(name, number));
    } catch (RuntimeException e) {
      if (isExpected(e)) {
        // Some of them may have happened before the one that failed.
        numbers.values().forEach(number -> log.info(name, number, e));
      } else {
        numbers.values().forEach(number -> end(number, CallKind.PUT, e));
      }
    }
  }

  private void iterate() {
    long number = log.invoke(name, CallKind.ITERATE, "", ABSENT, ABSENT);
    Iteration iteration = new Iteration();
    try (CloseableIterator<String> delivered = cache.keySet().iterator()) {
      while (delivered.hasNext()) {
        iteration.deliver(delivered.next());
      }
      log.iterated(name, number, iteration);
    } catch (RuntimeException e) {
      end(number, CallKind.ITERATE, e);
    }
  }
}
