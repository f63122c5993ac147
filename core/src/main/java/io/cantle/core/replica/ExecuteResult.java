package io.cantle.core.replica;

import io.cantle.core.container.Entry;

/**
 * The result of an attempt to execute a command at the primary: its outcome, or why it has not
 * started.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface ExecuteResult permits CommandOutcome, ExecuteResult.ValueEvicted {
  /**
   * Nothing was done, because the command needs the value of this entry, which is on disk only.
   * Load the value and try again.
   */
  record ValueEvicted(Entry entry) implements ExecuteResult {}
}
