package io.cantle.core.base;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What a node takes from outside besides its network: time, threads and randomness. A real node and
 * a simulated one differ in this record and in their transport, and in nothing else.
 *
 * @param clock time and timed waits
 * @param threads starts one new virtual thread for each task; tasks may wait
 * @param random seeded by the owner of the world; used under no lock, by any thread
 * @param processors on how many threads work that is wanted soon is spread
 */
public record World(Clock clock, Executor threads, RandomGenerator random, int processors) {

  /** A world of two processors: the same on every machine. */
  public World(Clock clock, Executor threads, RandomGenerator random) {
    this(clock, threads, random, 2);
  }
}
