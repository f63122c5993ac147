package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writes of this node to one segment, numbered, so that owners know one they have seen before.
 * Owners keep the result of a write until they hear that all before it are answered as well; what
 * they keep is what has room here.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock.
 */
final class Sequences {
  private static final int FIRST_SLOTS = 8;

  private final Room mine;
  private final Room all;
  private final ReentrantLock lock = new ReentrantLock();

  /** How long the results are, by slot: a guess, and the complement once the write has ended. */
  private int[] resultBytes = new int[FIRST_SLOTS];

  private long next = 1;
  private volatile long lowest = 1;

  /** How long the last result was that was a value: the next may be like it. */
  private volatile int usualBytes;

  Sequences(Room mine, Room all) {
    this.mine = mine;
    this.all = all;
  }

  /** The lowest sequence without an answer. */
  long lowest() {
    return lowest;
  }

  /**
   * Takes the next sequence, once there is room for it.
   *
   * @throws io.cantle.TimeoutException when there was none until the deadline
   */
  long begin(Operation operation, long deadlineNanos) {
    int guess = guess(operation);
    mine.take(guess, deadlineNanos);
    boolean taken = false;
    try {
      all.take(guess, deadlineNanos);
      taken = true;
    } finally {
      if (!taken) {
        mine.give(1, guess);
      }
    }
    return number(guess);
  }

  /** Takes the next sequence if there is room for it now; 0 if there is none. */
  long tryBegin(Operation operation) {
    int guess = guess(operation);
    if (!mine.tryTake(guess)) {
      return 0;
    }
    if (!all.tryTake(guess)) {
      mine.give(1, guess);
      return 0;
    }
    return number(guess);
  }

  private long number(int guess) {
    lock.lock();
    try {
      if (next - lowest == resultBytes.length) {
        grow();
      }
      long sequence = next++;
      resultBytes[slot(sequence)] = guess;
      return sequence;
    } finally {
      lock.unlock();
    }
  }

  /** Doubles the slots; each sequence goes where it belongs among them. */
  private void grow() {
    int[] before = resultBytes;
    resultBytes = new int[before.length * 2];
    for (long sequence = lowest; sequence < next; sequence++) {
      resultBytes[slot(sequence)] = before[(int) (sequence & (before.length - 1))];
    }
  }

  /** A sequence was given up: nobody knows its result. */
  void end(long sequence) {
    end(sequence, -1);
  }

  /** A sequence is answered, by a result of so many bytes. */
  void end(long sequence, int bytes) {
    int commands = 0;
    long freed = 0;
    lock.lock();
    try {
      int slot = slot(sequence);
      int known = resultBytes[slot];
      if (bytes >= 0) {
        freed = (long) known - bytes;
        known = bytes;
        if (bytes > 0 && bytes != usualBytes) {
          usualBytes = bytes;
        }
      }
      resultBytes[slot] = ~known;
      long low = lowest;
      if (low != sequence) {
        low = next;
      }
      for (int result; low < next && (result = resultBytes[slot(low)]) < 0; low++) {
        freed += ~result;
        commands++;
      }
      if (commands > 0) {
        lowest = low;
      }
    } finally {
      lock.unlock();
    }
    if (commands > 0 || freed != 0) {
      mine.give(commands, freed);
      all.give(commands, freed);
    }
  }

  /**
   * How much the owners keep of a write that has no answer: its value, until all of them have it,
   * and its result, as far as one can tell before how long that will be.
   */
  private int guess(Operation operation) {
    return switch (operation) {
      case Put(var value, boolean quiet) ->
          quiet ? value.length() : Math.max(value.length(), usualBytes);
      case PutIfAbsent(var value) -> Math.max(value.length(), usualBytes);
      case Replace(var value) -> Math.max(value.length(), usualBytes);
      case Remove(boolean quiet) -> quiet ? 0 : usualBytes;
      case Apply apply -> Math.max(apply.argument().length(), usualBytes);
      case Swap(int epoch, long index, var value) -> value == null ? 0 : value.length();
      case Compare(var expected, var value) -> value == null ? 0 : value.length();
      case Limited limited -> guess(limited.bare());
      case Merge merge -> {
        Slice value = merge.value();
        yield value == null ? 0 : value.length();
      }
    };
  }

  private int slot(long sequence) {
    return (int) (sequence & (resultBytes.length - 1));
  }
}
