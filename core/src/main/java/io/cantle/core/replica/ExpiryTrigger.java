package io.cantle.core.replica;

/**
 * Makes a primary end expired entries before it reads entries for a caller.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public interface ExpiryTrigger {
  /** Ends what is due in a segment, if this node is its primary. */
  void expireDue(Replica replica);
}
