package io.cantle.core.codec;

import io.cantle.DecodingException;
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
        DecodingException.Effect.NONE,
        e.getCause());
  }

  /** The exception for a write that was made, and whose result this node cannot decode. */
  public static DecodingException onWritten(String nodeName, MalformedException e) {
    return new DecodingException(
        ("the write was made, but node %s cannot decode the value that the call returns, so do not"
                + " write again: %s")
            .formatted(nodeName, e.getMessage()),
        DecodingException.Effect.WRITTEN,
        e.getCause());
  }

  /**
   * The exception for a call that wrote a value only if there was none, and whose result this node
   * cannot decode. Nothing says whose value it is, and calling again writes nothing.
   */
  public static DecodingException onPresent(String nodeName, MalformedException e) {
    return new DecodingException(
        ("the key has a value, of this call or of another, but node %s cannot decode it: %s; calling"
                + " again writes nothing")
            .formatted(nodeName, e.getMessage()),
        DecodingException.Effect.NONE,
        e.getCause());
  }

  /** The exception for a write that the primary could not decode, and did not make. */
  static DecodingException onPrimary(String nodeName, String reason) {
    return new DecodingException(
        "node %s cannot decode what it needs for this call, which wrote nothing: %s"
            .formatted(nodeName, reason),
        DecodingException.Effect.NONE,
        null);
  }

  /** The exception for a scan that an owner cannot decode, or an entry that it came to. */
  public static DecodingException onOwner(String nodeName, String reason) {
    return new DecodingException(
        "node %s cannot decode what it needs for this call: %s".formatted(nodeName, reason),
        DecodingException.Effect.NONE,
        null);
  }

  /** The exception for a scan whose function may have acted before an owner could not decode. */
  public static DecodingException afterActions(DecodingException e) {
    return new DecodingException(
        e.getMessage()
            + "; the function may have run for other elements, and what it did stays: calling again"
            + " runs it for them again",
        DecodingException.Effect.FUNCTION_RAN,
        e.getCause());
  }

  /** A reader of elements that tells users what they can do if an element cannot be decoded. */
  public static <S, T> Function<S, T> explain(String nodeName, Function<S, T> reader) {
    return in -> {
      try {
        return reader.apply(in);
      } catch (MalformedException e) {
        throw onRead(nodeName, e);
      }
    };
  }
}
