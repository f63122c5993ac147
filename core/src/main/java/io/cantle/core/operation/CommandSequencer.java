package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * Numbers the writes of this node to one segment, so that owners recognize a write they have seen
 * before. Owners keep the result of a write until they learn that all earlier writes are answered
 * too. The windows bound what they keep.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CommandSequencer {
  private static final int INITIAL_SLOTS = 8;

  private final WriteWindow segmentWindow;
  private final WriteWindow sessionWindow;

  /**
   * The result size by slot: an estimate, and the complement of the size once the write has ended.
   */
  @GuardedBy("this")
  private int[] resultBytes = new int[INITIAL_SLOTS];

  @GuardedBy("this")
  private long nextSequence = 1;

  private volatile long lowestUnanswered = 1;

  /** The size of the last result that had a value, used as an estimate for the next one. */
  private volatile int lastResultBytes;

  CommandSequencer(WriteWindow segmentWindow, WriteWindow sessionWindow) {
    this.segmentWindow = segmentWindow;
    this.sessionWindow = sessionWindow;
  }

  /** The lowest unanswered sequence. */
  long lowestUnanswered() {
    return lowestUnanswered;
  }

  /**
   * Takes the next sequence once there is room for it.
   *
   * @throws io.cantle.CallTimeoutException when there was no room before the deadline
   */
  long begin(Operation operation, long deadlineNanos) {
    int estimate = operation.estimateBytes(lastResultBytes);
    segmentWindow.acquire(estimate, deadlineNanos);
    boolean acquired = false;
    try {
      sessionWindow.acquire(estimate, deadlineNanos);
      acquired = true;
    } finally {
      if (!acquired) {
        segmentWindow.release(1, estimate);
      }
    }
    return takeNext(estimate);
  }

  /** Takes the next sequence if there is room for it now; returns 0 if there is none. */
  long tryBegin(Operation operation) {
    int estimate = operation.estimateBytes(lastResultBytes);
    if (!segmentWindow.tryAcquire(estimate)) {
      return 0;
    }
    if (!sessionWindow.tryAcquire(estimate)) {
      segmentWindow.release(1, estimate);
      return 0;
    }
    return takeNext(estimate);
  }

  private synchronized long takeNext(int estimate) {
    if (nextSequence - lowestUnanswered == resultBytes.length) {
      grow();
    }
    long sequence = nextSequence++;
    resultBytes[slotOf(sequence)] = estimate;
    return sequence;
  }

  /** Doubles the slots and moves each sequence to its new slot. */
  @GuardedBy("this")
  private void grow() {
    int[] oldSlots = resultBytes;
    resultBytes = new int[oldSlots.length * 2];
    for (long sequence = lowestUnanswered; sequence < nextSequence; sequence++) {
      resultBytes[slotOf(sequence)] = oldSlots[(int) (sequence & (oldSlots.length - 1))];
    }
  }

  /**
   * Ends a sequence.
   *
   * @param bytes the length of its result, or -1 if it was given up without one
   */
  void end(long sequence, int bytes) {
    int commands = 0;
    long freed = 0;
    synchronized (this) {
      int slot = slotOf(sequence);
      int slotBytes = resultBytes[slot];
      if (bytes >= 0) {
        freed = (long) slotBytes - bytes;
        slotBytes = bytes;
        if (bytes > 0 && bytes != lastResultBytes) {
          lastResultBytes = bytes;
        }
      }
      resultBytes[slot] = ~slotBytes;
      long newLowest = lowestUnanswered;
      if (newLowest != sequence) {
        newLowest = nextSequence;
      }
      for (int result;
          newLowest < nextSequence && (result = resultBytes[slotOf(newLowest)]) < 0;
          newLowest++) {
        freed += ~result;
        commands++;
      }
      if (commands > 0) {
        lowestUnanswered = newLowest;
      }
    }
    if (commands > 0 || freed != 0) {
      segmentWindow.release(commands, freed);
      sessionWindow.release(commands, freed);
    }
  }

  @GuardedBy("this")
  private int slotOf(long sequence) {
    return (int) (sequence & (resultBytes.length - 1));
  }
}
