package io.cantle.core.operation;

import io.cantle.core.base.Output;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.transport.MessagingService;
import org.jspecify.annotations.Nullable;

/**
 * The answers to reads and writes, as bytes: a code, then what belongs to it.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class OperationReplyEncoder {
  /**
   * Not here or not now; followed by which try of a write was refused, 0 for a read, and whether
   * the write may have been made all the same.
   */
  static final int REFUSED = 0;

  /** Followed by which try of the write it answers and the result. */
  static final int RESULT = 1;

  /** A writer holds a write; followed by epoch, place, expected, and perhaps the result. */
  static final int HELD = 2;

  /** Followed by the version and the value of an entry. */
  static final int FOUND = 3;

  /** Code of the user's threw; followed by the epoch that was sent, the node and what it threw. */
  static final int FAILED = 4;

  /** Nobody knows any more whether a write was made; followed by which try of it was asked. */
  static final int IN_DOUBT = 5;

  /** A write was refused because a disk is full; followed by which try of it. */
  static final int DISK_FULL = 6;

  private OperationReplyEncoder() {}

  static Output encodeRefused(MessagingService messaging, long request, int attempt) {
    Output out = messaging.newResponse(request, 8);
    out.writeByte(REFUSED);
    out.writeVarint(attempt);
    out.writeBoolean(false);
    return out;
  }

  /** The epoch ended before the write was committed: the next primary may complete it. */
  static Output encodeOvertaken(MessagingService messaging, long request, int attempt) {
    Output out = messaging.newResponse(request, 8);
    out.writeByte(REFUSED);
    out.writeVarint(attempt);
    out.writeBoolean(true);
    return out;
  }

  /** It may be tried again when there is room. */
  static Output encodeDiskFull(MessagingService messaging, long request, int attempt) {
    Output out = messaging.newResponse(request, 8);
    out.writeByte(DISK_FULL);
    out.writeVarint(attempt);
    return out;
  }

  /** Whoever could have known has started again since. */
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

  /** What was thrown is as {@link ThrowableCodec} writes it. */
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
