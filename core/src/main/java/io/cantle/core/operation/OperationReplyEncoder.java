package io.cantle.core.operation;

import io.cantle.core.base.Output;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.transport.MessagingService;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the replies to reads and writes: a code, then the data that belongs to it.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class OperationReplyEncoder {
  /**
   * Not executed here or not now. Followed by the attempt that was refused, 0 for a read, and
   * whether the write may have been made all the same.
   */
  static final int REFUSED = 0;

  /** Followed by the attempt that is answered, and the result. */
  static final int RESULT = 1;

  /**
   * Another writer holds a write. Followed by epoch, writer index, number of other writers, and
   * perhaps the result.
   */
  static final int HELD = 2;

  /** Followed by the version and the value of an entry. */
  static final int FOUND = 3;

  /** User code threw. Followed by the attempt, the name of the node and what was thrown. */
  static final int FAILED = 4;

  /** No node knows any more whether a write was made. Followed by the attempt. */
  static final int IN_DOUBT = 5;

  /** A write was refused because a disk is full. Followed by the attempt. */
  static final int DISK_FULL = 6;

  private OperationReplyEncoder() {}

  static Output encodeRefused(MessagingService messaging, long request, int attempt) {
    Output out = messaging.newResponse(request, 8);
    out.writeByte(REFUSED);
    out.writeVarint(attempt);
    out.writeBoolean(false);
    return out;
  }

  /**
   * Encodes that the epoch ended before the write was committed; the next primary may complete it.
   */
  static Output encodeOvertaken(MessagingService messaging, long request, int attempt) {
    Output out = messaging.newResponse(request, 8);
    out.writeByte(REFUSED);
    out.writeVarint(attempt);
    out.writeBoolean(true);
    return out;
  }

  /** Encodes that the disk is full; the write may be retried when there is space. */
  static Output encodeDiskFull(MessagingService messaging, long request, int attempt) {
    Output out = messaging.newResponse(request, 8);
    out.writeByte(DISK_FULL);
    out.writeVarint(attempt);
    return out;
  }

  /** Encodes that every node that could know the outcome has restarted since. */
  static Output encodeInDoubt(MessagingService messaging, long request, int attempt) {
    Output out = messaging.newResponse(request, 8);
    out.writeByte(IN_DOUBT);
    out.writeVarint(attempt);
    return out;
  }

  static Output encodeResult(
      MessagingService messaging, long request, int attempt, OperationResult result) {
    Output out = messaging.newResponse(request, 24 + result.length());
    out.writeByte(RESULT);
    out.writeVarint(attempt);
    result.write(out);
    return out;
  }

  /** Encodes a failure; {@code thrown} is encoded by {@link ThrowableCodec}. */
  static Output encodeFailed(MessagingService messaging, long request, int attempt, byte[] thrown) {
    Output out = messaging.newResponse(request, 64 + thrown.length);
    out.writeByte(FAILED);
    out.writeVarint(attempt);
    out.writeString(messaging.self().name());
    out.write(thrown);
    return out;
  }

  static Output encodeHeld(
      MessagingService messaging,
      long request,
      int epoch,
      int place,
      int expected,
      @Nullable OperationResult result) {
    Output out = messaging.newResponse(request, 32 + (result == null ? 0 : result.length()));
    out.writeByte(HELD);
    out.writeVarint(epoch);
    out.writeVarint(place);
    out.writeVarint(expected);
    out.writeBoolean(result != null);
    if (result != null) {
      result.write(out);
    }
    return out;
  }

  static Output encodeFound(MessagingService messaging, long request, ReadResult found) {
    Output out = messaging.newResponse(request, 32 + found.value().length());
    out.writeByte(FOUND);
    out.writeVarint(found.epoch());
    out.writeVarint(found.index());
    found.value().write(out);
    return out;
  }
}
