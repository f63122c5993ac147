package io.cantle.core.base;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * What a node takes from outside besides its network: time, threads and randomness. A real node and
 * a simulated one differ in this record and in their transport, and in nothing else.
 *
 * @param clock time and timed waits
 * @param threads starts one new virtual thread for each task; tasks may wait
 * @param workers runs each task on one of a few threads that are no virtual ones, for what takes
 *     the processor: virtual threads have to share theirs with whoever does not let go of it. A
 *     task that waits is replaced by another meanwhile
 * @param random seeded by the owner of the world; used under no lock, by any thread
 * @param processors how many workers there are
 * @param heapBytes how large the heap may become
 * @param outOfMemory is told of any want of memory, by any thread, once or often; must not wait
 */
public record Environment(
    Clock clock,
    Executor threads,
    Executor workers,
    RandomGenerator random,
    int processors,
    long heapBytes,
    Consumer<OutOfMemoryError> outOfMemory) {

  /** A world with the heap of this process. */
  public Environment(
      Clock clock, Executor threads, Executor workers, RandomGenerator random, int processors) {
    this(clock, threads, workers, random, processors, Runtime.getRuntime().maxMemory(), e -> {});
  }

  /** A world where work is done at once, as if by two processors: the same on every machine. */
  public Environment(Clock clock, Executor threads, RandomGenerator random) {
    this(clock, threads, Runnable::run, random, 2);
  }
}
