package io.cantle.core.scan;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.transport.Response;

/**
 * The answer of an owner to a request of a scan that brought nothing: a code of {@link ScanStatus},
 * then the fields.
 *
 * <p><b>Threading:</b> immutable.
 */
sealed interface ScanFailure extends Response {

  /** The request was not started, or the owner may no longer answer; another owner may. */
  record ScanRefused() implements ScanFailure {}

  /**
   * A function threw.
   *
   * @param node the name of the owner
   * @param thrown what was thrown, encoded by {@link ThrowableCodec}
   */
  record FunctionThrew(String node, ByteSlice thrown) implements ScanFailure {}

  /**
   * The result for a single entry is longer than a message.
   *
   * @param node the name of the owner
   * @param maxBytes the most bytes of a message
   */
  record ResultTooLong(String node, long maxBytes) implements ScanFailure {}

  /**
   * The owner cannot decode the request.
   *
   * @param node the name of the owner
   * @param reason why
   */
  record UnreadableRequest(String node, String reason) implements ScanFailure {}

  @Override
  default int expectedBytes() {
    return this instanceof FunctionThrew(String node, ByteSlice thrown) ? 64 + thrown.length() : 64;
  }

  @Override
  default void write(Output out) {
    switch (this) {
      case ScanRefused() -> out.writeByte(ScanStatus.REFUSED);
      case FunctionThrew(String node, ByteSlice thrown) -> {
        writeHead(out, ScanStatus.FAILED, node);
        out.write(thrown.bytes(), thrown.offset(), thrown.length());
      }
      case ResultTooLong(String node, long maxBytes) -> {
        writeHead(out, ScanStatus.TOO_LONG, node);
        out.writeVarint(maxBytes);
      }
      case UnreadableRequest(String node, String reason) -> {
        writeHead(out, ScanStatus.UNREADABLE, node);
        out.writeString(reason);
      }
    }
  }

  private static void writeHead(Output out, int status, String node) {
    out.writeByte(status);
    out.writeString(node);
  }

  /** Reads what {@link #write} wrote after the status. */
  static ScanFailure read(int status, Input in) {
    return in.requireEndAfter(
        switch (status) {
          case ScanStatus.REFUSED -> new ScanRefused();
          case ScanStatus.FAILED -> new FunctionThrew(in.readString(), ByteSlice.readRest(in));
          case ScanStatus.TOO_LONG -> new ResultTooLong(in.readString(), in.readVarint());
          case ScanStatus.UNREADABLE -> new UnreadableRequest(in.readString(), in.readString());
          default -> throw new MalformedException("status " + status + " of a scan is unknown");
        });
  }
}
