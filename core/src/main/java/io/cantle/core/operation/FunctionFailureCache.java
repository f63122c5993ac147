package io.cantle.core.operation;

import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.SessionId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What functions threw that ran here, for callers that ask again because the answer was lost, or
 * could not be given for want of a lease: a function that failed is not run again in that epoch.
 * Kept as it travels, without objects of the user's, and only so much of the last.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock.
 */
final class FunctionFailureCache {
  /** More than are thrown in the time in which callers ask again, were it not on purpose. */
  static final int MAX_BYTES = 1 << 20;

  private record CommandKey(SessionId session, int cache, int segment, long sequence) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<CommandKey, byte[]> failures = new LinkedHashMap<>();
  private int totalBytes;

  /** Keeps what the function of a command threw; returns it as it travels. */
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

  /** What the function of a command threw, or null if that is not known any more. */
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
