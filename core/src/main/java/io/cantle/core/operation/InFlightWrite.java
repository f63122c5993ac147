package io.cantle.core.operation;

import io.cantle.FunctionException;
import io.cantle.core.base.Input;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.ResponseHandler;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A write that waits for its answer: a final result, or word from every other writer of one epoch
 * that it holds the write, one of them with the result.
 *
 * <p><b>Threading:</b> any thread answers; one thread waits.
 */
final class InFlightWrite implements ResponseHandler {
  private final Thread waiter = Thread.currentThread();

  /** The epoch the write was last sent in; 0 before. */
  private int sentEpoch;

  /** The epoch it was sent in first, but for tries known to be refused; 0 before. */
  private int firstEpoch;

  /** Counts the tries. Only the last one may be told that nothing was done. */
  private int attempt;

  /** Whether the last try was refused. */
  private volatile boolean refused;

  /** Whether that was because the primary's disk is full. */
  private volatile boolean diskFull;

  /** Whether some earlier try may have been carried out. */
  private boolean doubtful;

  /** The first try in the present epoch. What one of its tries is told holds for all of them. */
  private int firstAttemptOfEpoch;

  private int heldEpoch;
  private final BitSet heldPlaces = new BitSet();
  private @Nullable OperationResult heldResult;
  private volatile @Nullable OperationResult result;
  private volatile @Nullable FunctionException failure;

  /** Whether nobody will ever know whether it was made. */
  private volatile boolean unknowable;

  /** The epoch the write was last sent in; 0 before. */
  synchronized int sentEpoch() {
    return sentEpoch;
  }

  /** The first epoch in which the write may have been made; 0 before. */
  synchronized int firstEpoch() {
    return firstEpoch;
  }

  /** Which try is the last one. */
  synchronized int attempt() {
    return attempt;
  }

  /** Whether the last try was refused. */
  boolean isRefused() {
    return refused;
  }

  /** Whether the last try was refused because the disk of the primary is full. */
  boolean isDiskFull() {
    return refused && diskFull;
  }

  /** Whether the write may have been made, though it has no answer. */
  synchronized boolean isDoubtful() {
    return doubtful || (sentEpoch != 0 && !refused);
  }

  /**
   * Begins a try in this epoch, unless there is an answer: a try after that would be one nobody
   * listens to, and might be carried out where nothing is known of the answer.
   */
  synchronized boolean beginAttempt(int epoch) {
    if (isEnded()) {
      return false;
    }
    doubtful = isDoubtful();
    refused = false;
    diskFull = false;
    attempt++;
    firstAttemptOfEpoch = epoch == sentEpoch ? firstAttemptOfEpoch : attempt;
    sentEpoch = epoch;
    firstEpoch = doubtful ? firstEpoch : epoch;
    return true;
  }

  /** Whether there is an answer, or word that nothing was written, or that nobody knows. */
  boolean isEnded() {
    return result != null || failure != null || unknowable;
  }

  /** Whether those that could have known have started again: no other try is answered better. */
  boolean isUnknowable() {
    return unknowable;
  }

  @Nullable OperationResult result() {
    return result;
  }

  /** Why nothing was written, if code of the user's threw. */
  @Nullable FunctionException failure() {
    return failure;
  }

  @Override
  public void onResponse(Member from, Input body) {
    if (handleReply(body)) {
      LockSupport.unpark(waiter);
    }
  }

  /** Whether an answer is of interest to the waiting thread. */
  private boolean handleReply(Input body) {
    int code = body.readByte();
    return switch (code) {
      case OperationReplyEncoder.REFUSED -> onRefused(body.readVarint(), body.readBoolean());
      case OperationReplyEncoder.RESULT -> {
        long received = body.readVarint();
        yield onEnded(received, OperationResult.read(body), null);
      }
      case OperationReplyEncoder.FAILED -> {
        long received = body.readVarint();
        yield onEnded(
            received, null, new FunctionException(body.readString(), ThrowableCodec.read(body)));
      }
      case OperationReplyEncoder.DISK_FULL -> onDiskFull(body.readVarint());
      case OperationReplyEncoder.IN_DOUBT -> onInDoubt(body.readVarint());
      case OperationReplyEncoder.HELD -> onHeld(body);
      default -> throw new IllegalStateException("answer code " + code + " to a write");
    };
  }

  private synchronized boolean onRefused(long answeredAttempt, boolean overtaken) {
    if (answeredAttempt != attempt) {
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
  private synchronized boolean onEnded(
      long answeredAttempt,
      @Nullable OperationResult received,
      @Nullable FunctionException thrown) {
    if (answeredAttempt < firstAttemptOfEpoch || isEnded()) {
      return false;
    }
    result = received;
    failure = thrown;
    return true;
  }

  private synchronized boolean onDiskFull(long answeredAttempt) {
    diskFull |= answeredAttempt == attempt;
    return onRefused(answeredAttempt, false);
  }

  private synchronized boolean onInDoubt(long answeredAttempt) {
    if (isEnded() || answeredAttempt < firstAttemptOfEpoch) {
      return false;
    }
    unknowable = true;
    return true;
  }

  private synchronized boolean onHeld(Input body) {
    if (isEnded()) {
      return false;
    }
    int epoch = (int) body.readVarint();
    int place = body.readCount(10_000);
    int expected = (int) body.readVarint();
    OperationResult received = body.readBoolean() ? OperationResult.read(body) : null;
    if (epoch < heldEpoch) {
      return false;
    }
    if (epoch > heldEpoch) {
      heldEpoch = epoch;
      heldPlaces.clear();
      heldResult = null;
    }
    heldPlaces.set(place);
    if (received != null) {
      heldResult = received;
    }
    if (heldPlaces.cardinality() < expected || heldResult == null) {
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
