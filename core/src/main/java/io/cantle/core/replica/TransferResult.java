package io.cantle.core.replica;

/**
 * The result of applying one pull of a transfer.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum TransferResult {
  /** The entries were added. */
  ADDED,
  /** Writes of the present epoch must be applied first. */
  NOT_YET,
  /** The epoch is over. */
  REFUSED
}
