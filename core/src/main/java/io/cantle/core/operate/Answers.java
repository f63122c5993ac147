package io.cantle.core.operate;

import io.cantle.core.base.Output;
import io.cantle.core.replica.Result;
import io.cantle.core.transport.Requests;
import org.jspecify.annotations.Nullable;

/**
 * The answers to reads and writes, as bytes: a code, then what belongs to it.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class Answers {
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

  private Answers() {}

  static Output refused(Requests requests, long request, int attempt) {
    Output out = requests.answer(request, 8);
    out.writeByte(REFUSED);
    out.writeVarint(attempt);
    out.writeBoolean(false);
    return out;
  }

  /** The epoch ended before the write was committed: the next primary may complete it. */
  static Output overtaken(Requests requests, long request, int attempt) {
    Output out = requests.answer(request, 8);
    out.writeByte(REFUSED);
    out.writeVarint(attempt);
    out.writeBoolean(true);
    return out;
  }

  /** It may be tried again when there is room. */
  static Output diskFull(Requests requests, long request, int attempt) {
    Output out = requests.answer(request, 8);
    out.writeByte(DISK_FULL);
    out.writeVarint(attempt);
    return out;
  }

  /** Whoever could have known has started again since. */
  static Output inDoubt(Requests requests, long request, int attempt) {
    Output out = requests.answer(request, 8);
    out.writeByte(IN_DOUBT);
    out.writeVarint(attempt);
    return out;
  }

  static Output result(Requests requests, long request, int attempt, Result result) {
    Output out = requests.answer(request, 24 + result.length());
    out.writeByte(RESULT);
    out.writeVarint(attempt);
    result.write(out);
    return out;
  }

  /** What was thrown is as {@link Thrown} writes it. */
  static Output failed(Requests requests, long request, int attempt, byte[] thrown) {
    Output out = requests.answer(request, 64 + thrown.length);
    out.writeByte(FAILED);
    out.writeVarint(attempt);
    out.writeString(requests.self().name());
    out.write(thrown);
    return out;
  }

  static Output held(
      Requests requests,
      long request,
      int epoch,
      int place,
      int expected,
      @Nullable Result result) {
    Output out = requests.answer(request, 32 + (result == null ? 0 : result.length()));
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

  static Output found(Requests requests, long request, Found found) {
    Output out = requests.answer(request, 32 + found.value().length());
    out.writeByte(FOUND);
    out.writeVarint(found.epoch());
    out.writeVarint(found.index());
    found.value().write(out);
    return out;
  }
}
