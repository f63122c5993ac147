package io.cantle.chaos;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The keys of a run. Registers change with the generation, which is a matter of time alone, so that
 * all processes work on the same few keys without asking each other, and none of them gets more
 * calls than the search can judge. {@link System#nanoTime} is CLOCK_MONOTONIC on Linux: the same
 * for all processes of a machine, whatever network namespace they are in.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param startNanos when generation 0 began
 */
record Keys(long startNanos) {
  static final int REGISTERS = 32;
  static final int STABLE = 500;
  static final int COUNTERS = 8;
  static final int PROBES = 64;

  private static final long GENERATION_NANOS = 3_000_000_000L;

  /** Every third call on a register goes to one of so few. */
  private static final int HOT = 6;

  /** Which generation it is. */
  int generation(long nowNanos) {
    return (int) Math.max(0, (nowNanos - startNanos) / GENERATION_NANOS);
  }

  /** One of the registers of a generation. */
  String register(int generation, SplittableRandom random) {
    return register(generation, random.nextInt(random.nextInt(3) == 0 ? HOT : REGISTERS));
  }

  /** All registers up to a generation. */
  static Stream<String> registersUntil(int generation) {
    return IntStream.rangeClosed(0, generation)
        .boxed()
        .flatMap(each -> IntStream.range(0, REGISTERS).mapToObj(number -> register(each, number)));
  }

  /** Keys that are put once, before anything else, and never changed. */
  static Stream<String> stable() {
    return IntStream.range(0, STABLE).mapToObj(number -> "stable-" + number);
  }

  /** Whether a key is one that nobody changes. */
  static boolean isStable(String key) {
    return key.startsWith("stable-");
  }

  /** Whether a key is a counter. */
  static boolean isCounter(String key) {
    return key.startsWith("counter-");
  }

  /** The counters. */
  static Stream<String> counters() {
    return IntStream.range(0, COUNTERS).mapToObj(Keys::counter);
  }

  static String counter(int number) {
    return "counter-" + number;
  }

  /** Keys of the conductor, to find a primary and to see when it is replaced. */
  static String probe(int number) {
    return "probe-" + number;
  }

  private static String register(int generation, int number) {
    return "register-" + generation + "-" + number;
  }
}
