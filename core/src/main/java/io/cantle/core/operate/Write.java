package io.cantle.core.operate;

import io.cantle.FunctionException;
import io.cantle.core.base.Input;
import io.cantle.core.replica.Result;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Waiting;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A write that waits for its answer: a final result, or word from every other writer of one epoch
 * that it holds the write, one of them with the result.
 *
 * <p><b>Threading:</b> any thread answers; one thread waits.
 */
final class Write implements Waiting {
  private final Thread waiter = Thread.currentThread();

  /** The epoch the write was last sent in; 0 before. */
  volatile int sentEpoch;

  /** Counts the tries. Only the last one may be told that nothing was done. */
  volatile int attempt;

  /** Whether the last try was refused. */
  volatile boolean refused;

  /** Whether some earlier try may have been carried out. */
  private volatile boolean doubtful;

  /** The first try in the present epoch. What one of its tries is told holds for all of them. */
  private volatile int firstOfEpoch;

  private int heldEpoch;
  private final BitSet held = new BitSet();
  private @Nullable Result heldResult;
  private volatile @Nullable Result result;
  private volatile @Nullable FunctionException failure;

  /** Whether the write may have been made, though it has no answer. */
  boolean doubtful() {
    return doubtful || (sentEpoch != 0 && !refused);
  }

  /** Begins a try in this epoch. */
  void sentIn(int epoch) {
    doubtful = doubtful();
    refused = false;
    // One thread writes it.
    int tries = attempt + 1;
    attempt = tries;
    firstOfEpoch = epoch == sentEpoch ? firstOfEpoch : tries;
    sentEpoch = epoch;
  }

  @Nullable Result result() {
    return result;
  }

  /** Why nothing was written, if code of the user's threw. */
  @Nullable FunctionException failure() {
    return failure;
  }

  @Override
  public void answered(Member from, Input body) {
    int code = body.readByte();
    switch (code) {
      case Answers.REFUSED -> {
        if (body.readVarint() != attempt) {
          return;
        }
        doubtful |= body.readBoolean();
        refused = true;
      }
      case Answers.RESULT -> {
        // Of an earlier try it may say that nothing was to be done, and a later one may have done
        // it.
        if (body.readVarint() < firstOfEpoch) {
          return;
        }
        result = Result.read(body);
      }
      case Answers.FAILED -> {
        if (body.readVarint() < firstOfEpoch) {
          return;
        }
        failure = new FunctionException(body.readString(), Thrown.read(body));
      }
      case Answers.HELD -> {
        if (!held(body)) {
          return;
        }
      }
      default -> throw new IllegalStateException("answer code " + code + " to a write");
    }
    LockSupport.unpark(waiter);
  }

  private synchronized boolean held(Input body) {
    int epoch = (int) body.readVarint();
    int place = body.readCount(10_000);
    int expected = (int) body.readVarint();
    Result told = body.readBoolean() ? Result.read(body) : null;
    if (epoch < heldEpoch) {
      return false;
    }
    if (epoch > heldEpoch) {
      heldEpoch = epoch;
      held.clear();
      heldResult = null;
    }
    held.set(place);
    if (told != null) {
      heldResult = told;
    }
    if (held.cardinality() < expected || heldResult == null) {
      return false;
    }
    result = heldResult;
    return true;
  }

  @Override
  public void wake() {
    LockSupport.unpark(waiter);
  }
}
