package io.cantle.core.base;

import java.lang.foreign.Arena;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Environments with the heap of this process, in which nothing happens when it is full. */
public final class TestEnvironment {
  private TestEnvironment() {}

  public static Environment of(
      Clock clock, Executor threads, Executor workers, RandomGenerator random, int processors) {
    return new Environment(
        clock,
        threads,
        workers,
        random,
        processors,
        Runtime.getRuntime().maxMemory(),
        Arena::ofShared,
        e -> {});
  }

  /**
   * An environment whose workers run tasks at once on the calling thread and which reports two
   * processors, so that it behaves the same on every machine.
   */
  public static Environment of(Clock clock, Executor threads, RandomGenerator random) {
    return of(clock, threads, Runnable::run, random, 2);
  }
}
