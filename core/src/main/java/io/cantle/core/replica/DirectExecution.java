package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes commands of callers on this node at a primary that is the only writer of its segment. A
 * write is committed as soon as it is applied, and the caller has the result at once. So no other
 * node ever needs the write, and the command is never repeated: it has no place among the sessions,
 * and the write none in the log.
 *
 * <p><b>Threading:</b> any thread; a command takes the lock of the replica.
 */
public final class DirectExecution {
  private final Replica replica;
  private final ReplicaData data;
  private final CommandRules commandRules;

  DirectExecution(Replica replica, ReplicaData data, CommandRules commandRules) {
    this.replica = replica;
    this.data = data;
    this.commandRules = commandRules;
  }

  /**
   * Executes a command. The caller performs the effects of the replica.
   *
   * @param mayWrite as for {@link Replica#execute}
   * @return the result; null if nothing was done, because the command needs more: another writer, a
   *     value on disk, a function of the user, or an error that says why it is refused
   */
  public @Nullable OperationResult execute(
      BooleanSupplier mayWrite,
      long hash,
      byte[] key,
      int keyOffset,
      int keyLength,
      CommandDecision decision) {
    synchronized (replica) {
      return commandRules.executeDirectly(
          replica.state(), mayWrite, hash, key, keyOffset, keyLength, decision);
    }
  }

  /**
   * Replaces the value of an entry that keeps objects only, and is remembered. It is a write like
   * any other, but makes no entry, and tells nobody: so nobody may need to be told.
   *
   * @param valueBytes what the value takes in the heap
   * @return the value before; null if nothing was done, because the command needs more
   */
  public @Nullable Object replaceObject(Object key, Entry entry, Object value, int valueBytes) {
    synchronized (replica) {
      return commandRules.replaceObject(replica.state(), key, entry, value, valueBytes);
    }
  }

  /** Remembers the value of an entry that was found, so that callers find it without a look-up. */
  public void remember(Entry found) {
    synchronized (replica) {
      if (replica.lookup().isAlwaysClean()) {
        data.hints().remember(found);
      }
    }
  }
}
