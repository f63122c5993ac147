package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import org.jspecify.annotations.Nullable;

/**
 * What a command is to do. It is asked with the lock of the replica held, so it must not wait, and
 * runs no code of a user's.
 *
 * <p><b>Threading:</b> as the thread that has the command carried out.
 */
@FunctionalInterface
public interface CommandDecision {
  /** What is to be done to the entry found, null for none. */
  CommandEffect decide(@Nullable Entry found);

  /** Whether a removed key counts as found. */
  default boolean seesTombstones() {
    return false;
  }

  /** Whether it is the same whatever the value found: it may then be on disk only. */
  default boolean ignoresValue() {
    return false;
  }

  /** The same of a decision that is to see removed keys as well. */
  static CommandDecision seeingTombstones(CommandDecision decision) {
    return new CommandDecision() {
      @Override
      public CommandEffect decide(@Nullable Entry found) {
        return decision.decide(found);
      }

      @Override
      public boolean seesTombstones() {
        return true;
      }
    };
  }
}
