package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.Replica;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The failures of functions that ran here, in encoded form without user objects. A caller retries
 * if the answer was lost, or was not sent because this node held no lease. The failed function is
 * then not run again in that epoch. The size is bounded, and the latest failures are kept.
 *
 * <p><b>Threading:</b> any thread.
 */
final class FunctionFailureCache {
  /** More than functions throw in the time in which callers retry, except on purpose. */
  static final int MAX_BYTES = 1 << 20;

  @GuardedBy("this")
  private final LinkedHashMap<CommandKey, byte[]> failures = new LinkedHashMap<>();

  @GuardedBy("this")
  private int totalBytes;

  /** Keeps the failure of a command's function and returns it encoded. */
  byte[] remember(Replica replica, CommandId command, Throwable failure) {
    byte[] encoded = ThrowableCodec.toBytes(failure);
    synchronized (this) {
      byte[] previous = failures.put(CommandKey.of(replica, command), encoded);
      totalBytes += encoded.length - (previous == null ? 0 : previous.length);
      Iterator<byte[]> eldest = failures.values().iterator();
      while (totalBytes > MAX_BYTES) {
        totalBytes -= eldest.next().length;
        eldest.remove();
      }
    }
    return encoded;
  }

  /** The encoded failure of a command's function, or null if it is not known any more. */
  synchronized byte @Nullable [] find(Replica replica, CommandId command) {
    return failures.get(CommandKey.of(replica, command));
  }
}
