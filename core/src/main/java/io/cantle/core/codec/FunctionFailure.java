package io.cantle.core.codec;

import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import org.jspecify.annotations.Nullable;

/**
 * Why a user's function has no result on the node that was to run it: it threw, its result cannot
 * be encoded, or the node could not decode it or its arguments.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param nodeName the node that was to run it
 * @param thrown what was thrown there
 */
public record FunctionFailure(String nodeName, Throwable thrown) {

  /** Reads what {@link ThrowableCodec#toBytes} wrote on a node. */
  public static FunctionFailure read(String nodeName, Input in) {
    return new FunctionFailure(nodeName, ThrowableCodec.read(in));
  }

  /**
   * The exception for a function that has returned what cannot be encoded.
   *
   * @param result not null, which can always be encoded
   */
  public static IllegalArgumentException unsendableResult(
      @Nullable Object result, IllegalArgumentException cause) {
    return new IllegalArgumentException(
        "its result, of class %s, cannot be sent or stored: %s"
            .formatted(result == null ? null : result.getClass().getTypeName(), cause.getMessage()),
        cause);
  }

  /**
   * Makes the exception for the user of a write, which was not made. The user's thread calls this,
   * so that the exception has the line that made the call.
   */
  public GridException toWriteException() {
    return thrown instanceof MalformedException malformed
        ? DecodingErrors.onPrimary(nodeName, String.valueOf(malformed.getMessage()))
        : new FunctionException(nodeName, thrown, false);
  }

  /** Makes the exception for the user of a scan, by the user's thread. */
  public GridException toScanException() {
    return thrown instanceof MalformedException malformed
        ? DecodingErrors.onOwner(nodeName, String.valueOf(malformed.getMessage()))
        : new FunctionException(nodeName, thrown, false);
  }
}
