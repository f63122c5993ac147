package io.cantle.network;

/**
 * What a connection between two nodes is for. Each pair of nodes has one connection of each lane,
 * so that a lease renewal never waits behind data.
 *
 * <p><b>Threading:</b> immutable.
 */
enum Lane {
  /** All messages that are not urgent, in the order in which they are sent. */
  DATA,
  /** Short messages that bypass others: see {@code Transport.sendUrgent}. */
  URGENT;

  /** The lanes in the order of their numbers on the wire. */
  static final Lane[] ALL = values();
}
