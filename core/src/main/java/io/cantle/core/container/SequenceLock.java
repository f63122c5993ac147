package io.cantle.core.container;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets one writer and any number of readers share memory that a reader may find half changed. A
 * reader notes a number, the <em>stamp</em>, that is odd during a change and different after it,
 * and reads again if it was not the same even one to the end (a seqlock). After some tries it takes
 * a lock that the writer holds during each change. The lock is fair, so the reader's turn comes.
 *
 * <p><b>Threading:</b> any thread reads; one thread at a time changes. What it changes in between,
 * no reader may depend on. The lock is taken last and held for one change or one read only.
 */
final class SequenceLock {
  private static final VarHandle STAMP =
      HeapEntry.field(MethodHandles.lookup(), "stamp", long.class);

  /** How often a reader tries before it takes the lock. */
  private static final int MAX_TRIES = 8;

  /** A late reader may go round in circles, so it stops after this many steps. */
  private static final int MAX_STEPS = 4_096;

  private final ReentrantLock lock = new ReentrantLock(true);
  private long stamp;

  /** Reads what may change meanwhile. */
  interface OptimisticRead<T> {
    /**
     * Reads once.
     *
     * @param maxSteps how many links to follow at most; after more, throws
     * @throws IndexOutOfBoundsException if it was late, as may be the next one
     * @throws IllegalStateException as well
     */
    @Nullable T read(int maxSteps);
  }

  /** Returns what was true at some moment of the call. */
  <T> @Nullable T read(OptimisticRead<T> read) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      long before = (long) STAMP.getAcquire(this);
      if ((before & 1) == 0) {
        try {
          T found = read.read(MAX_STEPS);
          VarHandle.acquireFence();
          if ((long) STAMP.getOpaque(this) == before) {
            return found;
          }
        } catch (IndexOutOfBoundsException | IllegalStateException late) {
          // If it was not late, it throws again below.
          continue;
        }
      }
      Thread.onSpinWait();
    }
    lock.lock();
    try {
      return read.read(Integer.MAX_VALUE);
    } finally {
      lock.unlock();
    }
  }

  /** Begins a change; no reader takes what it reads from now on for good. */
  void beginChange() {
    lock.lock();
    STAMP.setOpaque(this, stamp + 1);
    VarHandle.storeStoreFence();
  }

  /** Ends a change. */
  void endChange() {
    STAMP.setRelease(this, stamp + 1);
    lock.unlock();
  }

  /** Keeps changes out; returns false if one is under way. {@link #unlock} lets them in again. */
  boolean tryLock() {
    return lock.tryLock();
  }

  /** Keeps changes out, once one under way has ended, until {@link #unlock}. */
  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }
}
