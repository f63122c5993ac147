package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.transport.Response;
import org.jspecify.annotations.Nullable;

/**
 * A reply to a read or a write: a code, then the fields. The attempt that is answered is 0 for a
 * read.
 *
 * <p><b>Threading:</b> immutable.
 */
sealed interface OperationReply extends Response {
  // The codes.
  int REFUSED = 0;
  int RESULT = 1;
  int HELD = 2;
  int FOUND = 3;
  int FAILED = 4;
  int IN_DOUBT = 5;
  int NO_ROOM = 6;

  /** The most other writers of a segment. */
  int MAX_OTHER_WRITERS = 10_000;

  /**
   * Not executed here or not now.
   *
   * @param isOvertaken whether the epoch ended before the write was committed, so that the next
   *     primary may complete it
   */
  record RefusedReply(int attempt, boolean isOvertaken) implements OperationReply {}

  /** The result of a write. */
  record ResultReply(int attempt, OperationResult result) implements OperationReply {}

  /** Another writer holds a write; one of these writers tells the result too. */
  record HeldReply(
      int epoch, int writerIndex, int otherWriterCount, @Nullable OperationResult result)
      implements OperationReply {}

  /** What a read has found. */
  record ReadReply(ReadResult found) implements OperationReply {}

  /**
   * User code threw.
   *
   * @param node the name of the node
   * @param thrown what was thrown, encoded by {@link ThrowableCodec}
   */
  record FailedReply(int attempt, String node, ByteSlice thrown) implements OperationReply {}

  /** Every node that could know whether a write was made has restarted since. */
  record InDoubtReply(int attempt) implements OperationReply {}

  /** There is no room; the write may be retried when there is. */
  record NoRoomReply(int attempt, WriteRefusal refusal) implements OperationReply {}

  @Override
  default int expectedBytes() {
    return switch (this) {
      case ReadReply(ReadResult found) -> 32 + found.value().length();
      case ResultReply(int attempt, OperationResult result) -> 24 + result.length();
      case HeldReply(int epoch, int index, int count, OperationResult result) ->
          32 + (result == null ? 0 : result.length());
      case FailedReply(int attempt, String node, ByteSlice thrown) -> 64 + thrown.length();
      default -> 24;
    };
  }

  @Override
  default void write(Output out) {
    switch (this) {
      case ReadReply(ReadResult found) -> {
        out.writeByte(FOUND);
        out.writeVarint(found.epoch());
        out.writeVarint(found.index());
        found.value().write(out);
      }
      case ResultReply(int attempt, OperationResult result) -> {
        writeAttempt(out, RESULT, attempt);
        result.write(out);
      }
      case HeldReply(int epoch, int index, int count, OperationResult result) -> {
        out.writeByte(HELD);
        out.writeVarint(epoch);
        out.writeVarint(index);
        out.writeVarint(count);
        out.writeOptional(result, told -> told.write(out));
      }
      case RefusedReply(int attempt, boolean isOvertaken) -> {
        writeAttempt(out, REFUSED, attempt);
        out.writeBoolean(isOvertaken);
      }
      case FailedReply(int attempt, String node, ByteSlice thrown) -> {
        writeAttempt(out, FAILED, attempt);
        out.writeString(node);
        out.write(thrown.bytes(), thrown.offset(), thrown.length());
      }
      case InDoubtReply(int attempt) -> writeAttempt(out, IN_DOUBT, attempt);
      case NoRoomReply(int attempt, WriteRefusal refusal) -> {
        writeAttempt(out, NO_ROOM, attempt);
        refusal.write(out);
      }
    }
  }

  private static void writeAttempt(Output out, int code, int attempt) {
    out.writeByte(code);
    out.writeVarint(attempt);
  }

  /** Reads what {@link #write} wrote. */
  static OperationReply read(Input in) {
    int code = in.readByte();
    return in.requireEndAfter(
        switch (code) {
          case REFUSED -> new RefusedReply(in.readCount(), in.readBoolean());
          case RESULT -> new ResultReply(in.readCount(), OperationResult.read(in));
          case HELD ->
              new HeldReply(
                  in.readCount(),
                  in.readCount(MAX_OTHER_WRITERS),
                  in.readCount(MAX_OTHER_WRITERS + 1),
                  in.readOptional(OperationResult::read));
          case FOUND -> {
            int epoch = in.readCount();
            long index = in.readVarint();
            yield new ReadReply(new ReadResult(OperationResult.read(in), epoch, index));
          }
          case FAILED -> new FailedReply(in.readCount(), in.readString(), ByteSlice.readRest(in));
          case IN_DOUBT -> new InDoubtReply(in.readCount());
          case NO_ROOM -> new NoRoomReply(in.readCount(), WriteRefusal.read(in));
          default -> throw new MalformedException("reply " + code + " is unknown");
        });
  }
}
