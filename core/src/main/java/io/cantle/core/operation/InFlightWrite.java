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
 * A write that waits for its answer. The answer is either a final result, or notice from every
 * other writer of one epoch that it holds the write, one of them with the result.
 *
 * <p><b>Threading:</b> any thread answers; one thread waits.
 */
final class InFlightWrite implements ResponseHandler {
  private final Thread waiter = Thread.currentThread();

  /** The epoch in which the write was last sent; 0 before the first attempt. */
  private int sentEpoch;

  /** The first epoch in which the write was sent, ignoring attempts known to be refused; or 0. */
  private int firstEpoch;

  /** The number of the last attempt. Only the last one may be answered that nothing was done. */
  private int attempt;

  /** Whether the last attempt was refused. */
  private volatile boolean refused;

  /** Whether it was refused because the primary's disk is full. */
  private volatile boolean diskFull;

  /** Whether some earlier attempt may have been executed. */
  private boolean doubtful;

  /**
   * The first attempt in the present epoch. The answer to any attempt of this epoch holds for all
   * of them.
   */
  private int firstAttemptOfEpoch;

  private int heldEpoch;
  private final BitSet heldWriterIndexes = new BitSet();
  private @Nullable OperationResult heldResult;
  private volatile @Nullable OperationResult result;
  private volatile @Nullable FunctionException failure;

  /** Whether nobody will ever know whether the write was made. */
  private volatile boolean unknowable;

  /** The epoch in which the write was last sent; 0 before the first attempt. */
  synchronized int sentEpoch() {
    return sentEpoch;
  }

  /** The first epoch in which the write may have been made; 0 before the first attempt. */
  synchronized int firstEpoch() {
    return firstEpoch;
  }

  /** The number of the last attempt. */
  synchronized int attempt() {
    return attempt;
  }

  /** Whether the last attempt was refused. */
  boolean isRefused() {
    return refused;
  }

  /** Whether the last attempt was refused because the disk of the primary is full. */
  boolean isDiskFull() {
    return refused && diskFull;
  }

  /** Whether the write may have been made, though it has no answer. */
  synchronized boolean isDoubtful() {
    return doubtful || (sentEpoch != 0 && !refused);
  }

  /**
   * Begins an attempt in this epoch, unless the write has ended. A later attempt would have no
   * listener, and might be executed where the earlier answer is not known.
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

  /** Whether the write has a result, has failed, or can never be known to be made. */
  boolean isEnded() {
    return result != null || failure != null || unknowable;
  }

  /**
   * Whether the nodes that could know the result have restarted, so that no further attempt can be
   * answered better.
   */
  boolean isUnknowable() {
    return unknowable;
  }

  @Nullable OperationResult result() {
    return result;
  }

  /** The exception of user code, if that is why nothing was written. */
  @Nullable FunctionException failure() {
    return failure;
  }

  @Override
  public void onResponse(Member from, Input body) {
    if (handleReply(body)) {
      LockSupport.unpark(waiter);
    }
  }

  /** Handles a reply. Returns whether it concerns the waiting thread. */
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
      default -> throw new IllegalStateException("answer code " + code + " of a write is unknown");
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
   * Ends the write with a result or a failure. An answer to an attempt in an earlier epoch is
   * ignored: it may say that nothing was done, and a later attempt may have done it.
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
      heldWriterIndexes.clear();
      heldResult = null;
    }
    heldWriterIndexes.set(place);
    if (received != null) {
      heldResult = received;
    }
    if (heldWriterIndexes.cardinality() < expected || heldResult == null) {
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
