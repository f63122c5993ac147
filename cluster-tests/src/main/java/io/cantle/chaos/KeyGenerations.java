package io.cantle.chaos;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The keys of a run. Registers change with the generation, which depends on time alone. So all
 * processes work on the same few keys without asking each other, and no key gets more calls than
 * the search can check. {@link System#nanoTime} is CLOCK_MONOTONIC on Linux: it is the same for all
 * processes of a machine, in any network namespace.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param startNanos when generation 0 began
 */
record KeyGenerations(long startNanos) {
  static final int REGISTER_COUNT = 32;
  static final int STABLE_KEY_COUNT = 500;
  static final int COUNTER_COUNT = 8;
  static final int PROBE_COUNT = 64;

  private static final long GENERATION_NANOS = 3_000_000_000L;

  /** Every third call on a register goes to one of this many. */
  private static final int HOT_KEY_COUNT = 6;

  /** Returns the generation at a time. */
  int generationAt(long nowNanos) {
    return (int) Math.max(0, (nowNanos - startNanos) / GENERATION_NANOS);
  }

  /** Draws one of the registers of a generation. */
  String registerKey(int generation, SplittableRandom random) {
    return registerKey(
        generation, random.nextInt(random.nextInt(3) == 0 ? HOT_KEY_COUNT : REGISTER_COUNT));
  }

  /** Returns all registers up to a generation. */
  static Stream<String> registersUntil(int generation) {
    return IntStream.rangeClosed(0, generation)
        .boxed()
        .flatMap(
            each ->
                IntStream.range(0, REGISTER_COUNT).mapToObj(number -> registerKey(each, number)));
  }

  /** Returns the stable keys, which are put once, before anything else, and never changed. */
  static Stream<String> stableKeys() {
    return IntStream.range(0, STABLE_KEY_COUNT).mapToObj(number -> "stable-" + number);
  }

  /** Returns whether a key is stable. */
  static boolean isStable(String key) {
    return key.startsWith("stable-");
  }

  /** Returns whether a key is a counter. */
  static boolean isCounter(String key) {
    return key.startsWith("counter-");
  }

  /** Returns the counters. */
  static Stream<String> counterKeys() {
    return IntStream.range(0, COUNTER_COUNT).mapToObj(KeyGenerations::counterKey);
  }

  static String counterKey(int number) {
    return "counter-" + number;
  }

  /** Returns a key of the conductor, used to find a primary and to observe when it is replaced. */
  static String probeKey(int number) {
    return "probe-" + number;
  }

  private static String registerKey(int generation, int number) {
    return "register-" + generation + "-" + number;
  }
}
