package io.cantle.core.base;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * What a node is given from outside besides its network: time, threads and randomness. A real node
 * and a simulated one differ only in this record and in their transport.
 *
 * @param clock time and timed waits
 * @param threads starts a new virtual thread for each task; tasks may wait
 * @param workers runs each task on one of a few platform threads, for work that keeps a processor
 *     busy: on a virtual thread it would hold back all others that share the carrier thread. While
 *     a task waits, another thread takes the place of its worker
 * @param random seeded by the owner of the environment; used by any thread without a lock
 * @param processors how many workers there are
 * @param heapBytes the maximum size of the heap in bytes
 * @param outOfMemory called on any thread, once or often, when memory runs out; it must not wait
 */
public record Environment(
    Clock clock,
    Executor threads,
    Executor workers,
    RandomGenerator random,
    int processors,
    long heapBytes,
    Consumer<OutOfMemoryError> outOfMemory) {

  /** Creates an environment with the heap of this process. */
  public Environment(
      Clock clock, Executor threads, Executor workers, RandomGenerator random, int processors) {
    this(clock, threads, workers, random, processors, Runtime.getRuntime().maxMemory(), e -> {});
  }

  /**
   * Creates an environment whose workers run tasks at once on the calling thread and which reports
   * two processors, so that it behaves the same on every machine.
   */
  public Environment(Clock clock, Executor threads, RandomGenerator random) {
    this(clock, threads, Runnable::run, random, 2);
  }
}
