package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.SessionId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.concurrent.locks.ReentrantLock;
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

  private record CommandKey(SessionId session, int cache, int segment, long sequence) {}

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final LinkedHashMap<CommandKey, byte[]> failures = new LinkedHashMap<>();

  @GuardedBy("lock")
  private int totalBytes;

  /** Keeps the failure of a command's function and returns it encoded. */
  byte[] remember(Replica replica, CommandId command, Throwable failure) {
    byte[] encoded = ThrowableCodec.toBytes(failure);
    lock.lock();
    try {
      byte[] previous = failures.put(keyOf(replica, command), encoded);
      totalBytes += encoded.length - (previous == null ? 0 : previous.length);
      Iterator<byte[]> eldest = failures.values().iterator();
      while (totalBytes > MAX_BYTES) {
        totalBytes -= eldest.next().length;
        eldest.remove();
      }
    } finally {
      lock.unlock();
    }
    return encoded;
  }

  /** The encoded failure of a command's function, or null if it is not known any more. */
  byte @Nullable [] find(Replica replica, CommandId command) {
    lock.lock();
    try {
      return failures.get(keyOf(replica, command));
    } finally {
      lock.unlock();
    }
  }

  private static CommandKey keyOf(Replica replica, CommandId command) {
    return new CommandKey(
        command.session(), replica.cache(), replica.segment(), command.sequence());
  }
}
