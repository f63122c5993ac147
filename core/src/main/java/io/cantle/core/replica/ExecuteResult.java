package io.cantle.core.replica;

import io.cantle.core.container.Entry;

/**
 * What became of an attempt to carry a command out at the primary: how it ended, or why it has not
 * begun.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface ExecuteResult permits CommandOutcome, ExecuteResult.ValueEvicted {
  /**
   * Nothing was done: that needs the value of this entry, which is on disk only. Bring it back, and
   * try again.
   */
  record ValueEvicted(Entry entry) implements ExecuteResult {}
}
