package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.codec.FunctionFailure;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.WriteRefusal;
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
  private static final BitSet NO_WRITERS = new BitSet(0);

  private final Thread waiter = Thread.currentThread();
  private final @Nullable Object writtenObject;

  /** The epoch in which the write was last sent; 0 before the first attempt. */
  @GuardedBy("this")
  private int sentEpoch;

  /** The first epoch in which the write was sent, ignoring attempts known to be refused; or 0. */
  @GuardedBy("this")
  private int firstEpoch;

  /** The number of the last attempt. Only the last one may be answered that nothing was done. */
  @GuardedBy("this")
  private int attempt;

  /** Whether the last attempt was refused. */
  private volatile boolean refused;

  /** Why it was refused, if that is because the primary has no room. */
  private volatile @Nullable WriteRefusal noRoom;

  /** Whether some earlier attempt may have been executed. */
  @GuardedBy("this")
  private boolean doubtful;

  /**
   * The first attempt in the present epoch. The answer to any attempt of this epoch holds for all
   * of them.
   */
  @GuardedBy("this")
  private int firstAttemptOfEpoch;

  @GuardedBy("this")
  private int heldEpoch;

  /** Empty until the first notice, which begins an epoch. */
  @GuardedBy("this")
  private BitSet heldWriterIndexes = NO_WRITERS;

  @GuardedBy("this")
  private @Nullable OperationResult heldResult;

  private volatile @Nullable OperationResult result;
  private volatile @Nullable FunctionFailure failure;

  /** Whether it can never be known whether the write was made. */
  private volatile boolean unknowable;

  /**
   * Creates a write that the calling thread waits for.
   *
   * @param writtenObject the object whose encoding its operation writes, if nobody can change it;
   *     otherwise null
   */
  InFlightWrite(@Nullable Object writtenObject) {
    this.writtenObject = writtenObject;
  }

  /** The object whose encoding the operation writes, if nobody can change it; otherwise null. */
  @Nullable Object writtenObject() {
    return writtenObject;
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

  /** Why the last attempt was refused, if that is because the primary has no room. */
  @Nullable WriteRefusal noRoom() {
    return refused ? noRoom : null;
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
    noRoom = null;
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

  /** What user code threw, if that is why nothing was written. */
  @Nullable FunctionFailure failure() {
    return failure;
  }

  @Override
  public void onResponse(Member from, Input body) {
    onReply(OperationReply.read(body));
  }

  /** Takes a reply, which the waiting thread itself may bring: it has executed the write then. */
  void onReply(OperationReply reply) {
    if (handleReply(reply) && !Thread.currentThread().equals(waiter)) {
      LockSupport.unpark(waiter);
    }
  }

  /** Handles a reply. Returns whether it concerns the waiting thread. */
  private boolean handleReply(OperationReply reply) {
    return switch (reply) {
      case OperationReply.HeldReply held -> onHeld(held);
      case OperationReply.ResultReply(int answered, OperationResult received) ->
          onEnded(answered, received, null);
      case OperationReply.RefusedReply(int refusedAttempt, boolean overtaken) ->
          onRefused(refusedAttempt, overtaken, null);
      case OperationReply.FailedReply(int answered, String node, ByteSlice thrown) ->
          onEnded(answered, null, FunctionFailure.read(node, thrown.toInput()));
      case OperationReply.NoRoomReply(int refusedAttempt, WriteRefusal refusal) ->
          onRefused(refusedAttempt, false, refusal);
      case OperationReply.InDoubtReply(int answered) -> onEnded(answered, null, null);
      case OperationReply.ReadReply found ->
          throw new MalformedException("a write was answered by " + found);
    };
  }

  private synchronized boolean onRefused(
      int answeredAttempt, boolean overtaken, @Nullable WriteRefusal refusal) {
    if (answeredAttempt != attempt) {
      return false;
    }
    doubtful |= overtaken;
    if (refusal != null) {
      noRoom = refusal;
      // A primary without room looks the write up first: no attempt of its epoch was executed.
      doubtful &= firstEpoch != sentEpoch;
    }
    refused = true;
    return true;
  }

  /**
   * Ends the write with a result, with a failure, or in doubt if there is neither. An answer to an
   * attempt in an earlier epoch is ignored: it may say that nothing was done, and a later attempt
   * may have done it.
   */
  private synchronized boolean onEnded(
      int answeredAttempt, @Nullable OperationResult received, @Nullable FunctionFailure thrown) {
    if (answeredAttempt < firstAttemptOfEpoch || isEnded()) {
      return false;
    }
    result = received;
    failure = thrown;
    unknowable = received == null && thrown == null;
    return true;
  }

  private synchronized boolean onHeld(OperationReply.HeldReply held) {
    if (isEnded() || held.epoch() < heldEpoch) {
      return false;
    }
    if (held.epoch() > heldEpoch) {
      heldEpoch = held.epoch();
      heldWriterIndexes = new BitSet();
      heldResult = null;
    }
    heldWriterIndexes.set(held.writerIndex());
    if (held.result() != null) {
      heldResult = held.result();
    }
    if (heldWriterIndexes.cardinality() < held.otherWriterCount() || heldResult == null) {
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
