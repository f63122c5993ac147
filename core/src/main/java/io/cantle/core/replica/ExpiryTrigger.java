package io.cantle.core.replica;

/**
 * Has a primary end what has lived its time, before it looks at its entries for anybody.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public interface ExpiryTrigger {
  /** Ends what is due in a segment, if this node leads it. */
  void expireDue(Replica replica);

  /** There may be entries with an end in segments this node leads: look after them from now on. */
  void scheduleExpiry();
}
