package io.cantle.core.container;

import org.jspecify.annotations.Nullable;

/**
 * Observes what is applied to the entries of a segment, in the order in which it is applied and
 * before it is committed.
 *
 * <p><b>Threading:</b> called under the lock of the segment, after the change; nothing may wait.
 */
public interface AppliedObserver {
  /**
   * An entry has replaced another of its key. If both have the same version, the value has moved to
   * disk or back.
   *
   * @param before null if there was none
   * @param after null if a tombstone was purged
   */
  void onApplied(@Nullable Entry before, @Nullable Entry after);

  /** An entry has gone because the segment is cleared. */
  default void onCleared(Entry entry) {
    onApplied(entry, null);
  }
}
