package io.cantle.core.base;

import io.cantle.core.memory.HeapGuard;
import java.lang.foreign.Arena;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
 * @param heapGuard says whether the heap has room for more entries; all nodes of a process share it
 * @param arenas makes arenas of memory off the heap, which any thread uses and any thread closes
 * @param outOfMemoryHandler called on any thread, once or often, when memory runs out; it must not
 *     wait
 */
public record Environment(
    Clock clock,
    Executor threads,
    Executor workers,
    RandomGenerator random,
    int processors,
    long heapBytes,
    HeapGuard heapGuard,
    Supplier<Arena> arenas,
    Consumer<OutOfMemoryError> outOfMemoryHandler) {
  /** Creates an environment in which no write is refused because the heap is full. */
  public Environment(
      Clock clock,
      Executor threads,
      Executor workers,
      RandomGenerator random,
      int processors,
      long heapBytes,
      Supplier<Arena> arenas,
      Consumer<OutOfMemoryError> outOfMemoryHandler) {
    this(
        clock,
        threads,
        workers,
        random,
        processors,
        heapBytes,
        HeapGuard.UNLIMITED,
        arenas,
        outOfMemoryHandler);
  }

  /** A heap is full when less than such a part of it is free. */
  private static final int MIN_FREE_PART = 8;

  /** How long a last answer has to leave before the sockets are closed. */
  private static final long ANSWER_DEPARTURE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * Whether an error that a user's function ended with is the node's too: the heap is full, so that
   * other work may have failed as well. One array too large for the heap harms only its function.
   */
  public boolean isHeapFull(OutOfMemoryError error) {
    if (String.valueOf(error.getMessage()).contains("VM limit")) {
      return false;
    }
    Runtime runtime = Runtime.getRuntime();
    long usedBytes = runtime.totalMemory() - runtime.freeMemory();
    return heapBytes - usedBytes < heapBytes / MIN_FREE_PART;
  }

  /**
   * Reports that a user's function filled the heap, after its caller was told: a caller that hears
   * nothing asks the next owner, and fills that one's heap too.
   *
   * @param answer tells the caller; needs little memory
   */
  public void reportFullHeap(OutOfMemoryError error, Runnable answer) {
    try {
      answer.run();
      clock.sleepNanos(this, ANSWER_DEPARTURE_NANOS);
    } finally {
      outOfMemoryHandler.accept(error);
    }
  }
}
