package io.cantle.core.replica;

/**
 * What became of a transfer's pull.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum TransferResult {
  /** It was added. */
  ADDED,
  /** Writes of the present epoch must come first. */
  NOT_YET,
  /** The epoch is over. */
  REFUSED
}
