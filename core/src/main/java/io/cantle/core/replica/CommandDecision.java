package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.container.EntryObjects;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a command does to an entry. It is called with the replica's lock held, so it must
 * not wait, and it runs no user code.
 *
 * <p><b>Threading:</b> called on the thread that executes the command.
 */
@FunctionalInterface
public interface CommandDecision {
  /** Decides what to do to the entry found; null if there is none. */
  CommandEffect decide(@Nullable Entry found);

  /** Whether the decision is given tombstones too, instead of null. */
  default boolean seesTombstones() {
    return false;
  }

  /** Whether the decision is the same for every value, so that the value may be on disk only. */
  default boolean ignoresValue() {
    return false;
  }

  /**
   * The object whose encoding is the value that this decision writes, if the caller is on this node
   * and nobody can change the object; null otherwise.
   */
  default @Nullable Object writtenObject() {
    return null;
  }

  /**
   * The object whose encoding is the key, under the same conditions as {@link #writtenObject}; null
   * otherwise.
   */
  default @Nullable Object keyObject() {
    return null;
  }

  /**
   * The key and the written value, if no bytes of the value were made: the entry keeps these
   * objects; null otherwise.
   */
  default @Nullable EntryObjects objects() {
    return null;
  }

  /** Wraps a decision so that it is given tombstones too. */
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
