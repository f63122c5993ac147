package io.cantle.core.base;

import org.jspecify.annotations.Nullable;

/**
 * A store of small named records that a node needs again after its process has ended.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface StableStore {
  /** Whether a restarted node finds the records again. */
  default boolean isDurable() {
    return true;
  }

  /**
   * Returns the latest record saved under a name by this incarnation of the node or an earlier one,
   * or null if there is none.
   */
  byte @Nullable [] find(String name);

  /**
   * A counter of all other changes that this incarnation has written, where the store holds more
   * than records. An equal number means that nothing was written in between.
   */
  default long changeCount() {
    return 0;
  }

  /**
   * Saves a record in place of the one with the same name. Never waits. Records become durable in
   * the order of the calls.
   *
   * @param onDurable run once a restarted node is certain to find the record. It runs on any thread
   *     and must not wait. It never runs if the store fails
   */
  void save(String name, byte[] bytes, Runnable onDurable);
}
