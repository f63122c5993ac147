package io.cantle.core.operate;

import io.cantle.core.replica.Command;
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
final class Failures {
  /** More than are thrown in the time in which callers ask again, were it not on purpose. */
  static final int MAX_BYTES = 1 << 20;

  private record Key(SessionId session, int cache, int segment, long sequence) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<Key, byte[]> thrown = new LinkedHashMap<>();
  private int bytes;

  /** Keeps what the function of a command threw; returns it as it travels. */
  byte[] keep(Replica replica, Command command, Throwable failure) {
    byte[] written = Thrown.bytes(failure);
    lock.lock();
    try {
      byte[] before = thrown.put(key(replica, command), written);
      bytes += written.length - (before == null ? 0 : before.length);
      Iterator<byte[]> eldest = thrown.values().iterator();
      while (bytes > MAX_BYTES) {
        bytes -= eldest.next().length;
        eldest.remove();
      }
    } finally {
      lock.unlock();
    }
    return written;
  }

  /** What the function of a command threw, or null if that is not known any more. */
  byte @Nullable [] find(Replica replica, Command command) {
    lock.lock();
    try {
      return thrown.get(key(replica, command));
    } finally {
      lock.unlock();
    }
  }

  private static Key key(Replica replica, Command command) {
    return new Key(command.session(), replica.cache(), replica.segment(), command.sequence());
  }
}
