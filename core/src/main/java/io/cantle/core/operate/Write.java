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
  private int sentEpoch;

  /** The epoch it was sent in first, but for tries known to be refused; 0 before. */
  private int begun;

  /** Counts the tries. Only the last one may be told that nothing was done. */
  private int attempt;

  /** Whether the last try was refused. */
  private volatile boolean refused;

  /** Whether that was because the primary's disk is full. */
  private volatile boolean diskFull;

  /** Whether some earlier try may have been carried out. */
  private boolean doubtful;

  /** The first try in the present epoch. What one of its tries is told holds for all of them. */
  private int firstOfEpoch;

  private int heldEpoch;
  private final BitSet held = new BitSet();
  private @Nullable Result heldResult;
  private volatile @Nullable Result result;
  private volatile @Nullable FunctionException failure;

  /** Whether nobody will ever know whether it was made. */
  private volatile boolean unknowable;

  /** The epoch the write was last sent in; 0 before. */
  synchronized int sentEpoch() {
    return sentEpoch;
  }

  /** The first epoch in which the write may have been made; 0 before. */
  synchronized int begun() {
    return begun;
  }

  /** Which try is the last one. */
  synchronized int attempt() {
    return attempt;
  }

  /** Whether the last try was refused. */
  boolean refused() {
    return refused;
  }

  /** Whether the last try was refused because the disk of the primary is full. */
  boolean diskFull() {
    return refused && diskFull;
  }

  /** Whether the write may have been made, though it has no answer. */
  synchronized boolean doubtful() {
    return doubtful || (sentEpoch != 0 && !refused);
  }

  /**
   * Begins a try in this epoch, unless there is an answer: a try after that would be one nobody
   * listens to, and might be carried out where nothing is known of the answer.
   */
  synchronized boolean sentIn(int epoch) {
    if (ended()) {
      return false;
    }
    doubtful = doubtful();
    refused = false;
    diskFull = false;
    attempt++;
    firstOfEpoch = epoch == sentEpoch ? firstOfEpoch : attempt;
    sentEpoch = epoch;
    begun = doubtful ? begun : epoch;
    return true;
  }

  /** Whether there is an answer, or word that nothing was written, or that nobody knows. */
  boolean ended() {
    return result != null || failure != null || unknowable;
  }

  /** Whether those that could have known have started again: no other try is answered better. */
  boolean unknowable() {
    return unknowable;
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
    if (taken(body)) {
      LockSupport.unpark(waiter);
    }
  }

  /** Whether an answer is of interest to the waiting thread. */
  private boolean taken(Input body) {
    int code = body.readByte();
    return switch (code) {
      case Answers.REFUSED -> refused(body.readVarint(), body.readBoolean());
      case Answers.RESULT -> {
        long told = body.readVarint();
        yield ended(told, Result.read(body), null);
      }
      case Answers.FAILED -> {
        long told = body.readVarint();
        yield ended(told, null, new FunctionException(body.readString(), Thrown.read(body)));
      }
      case Answers.DISK_FULL -> diskFull(body.readVarint());
      case Answers.IN_DOUBT -> inDoubt(body.readVarint());
      case Answers.HELD -> held(body);
      default -> throw new IllegalStateException("answer code " + code + " to a write");
    };
  }

  private synchronized boolean refused(long toldAttempt, boolean overtaken) {
    if (toldAttempt != attempt) {
      return false;
    }
    doubtful |= overtaken;
    refused = true;
    return true;
  }

  /**
   * Of an earlier try an answer may say that nothing was to be done, and a later one may have done
   * it.
   */
  private synchronized boolean ended(
      long toldAttempt, @Nullable Result told, @Nullable FunctionException thrown) {
    if (toldAttempt < firstOfEpoch || ended()) {
      return false;
    }
    result = told;
    failure = thrown;
    return true;
  }

  private synchronized boolean diskFull(long toldAttempt) {
    diskFull |= toldAttempt == attempt;
    return refused(toldAttempt, false);
  }

  private synchronized boolean inDoubt(long toldAttempt) {
    if (ended() || toldAttempt < firstOfEpoch) {
      return false;
    }
    unknowable = true;
    return true;
  }

  private synchronized boolean held(Input body) {
    if (ended()) {
      return false;
    }
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
