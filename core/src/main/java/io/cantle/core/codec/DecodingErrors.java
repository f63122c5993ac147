package io.cantle.core.codec;

import io.cantle.DecodingException;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import java.util.function.Function;

/**
 * What users are told when bytes cannot be decoded. Inside the engine that is a {@link
 * MalformedException}, which names the class and says what to do.
 *
 * <p><b>Threading:</b> pure functions.
 */
public final class DecodingErrors {
  private DecodingErrors() {}

  /** The exception for a read whose result this node cannot decode. */
  public static DecodingException onRead(String nodeName, MalformedException e) {
    return new DecodingException(
        "node %s cannot decode what it has read: %s".formatted(nodeName, e.getMessage()),
        false,
        e.getCause());
  }

  /** The exception for a write that was made, and whose result this node cannot decode. */
  public static DecodingException onWritten(String nodeName, MalformedException e) {
    return new DecodingException(
        ("the write was made, but node %s cannot decode the value that the call returns, so do not"
                + " write again: %s")
            .formatted(nodeName, e.getMessage()),
        true,
        e.getCause());
  }

  /** The exception for a call that another node could not decode, and that did nothing there. */
  public static DecodingException onOtherNode(String nodeName, String reason) {
    return new DecodingException(
        "node %s cannot decode what it needs for this call, which wrote nothing: %s"
            .formatted(nodeName, reason),
        false,
        null);
  }

  /** A reader of elements that tells users what they can do if an element cannot be decoded. */
  public static <T> Function<Input, T> explain(String nodeName, Function<Input, T> reader) {
    return in -> {
      try {
        return reader.apply(in);
      } catch (MalformedException e) {
        throw onRead(nodeName, e);
      }
    };
  }
}
