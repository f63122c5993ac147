package io.cantle.chaos;

/** The orders that the conductor sends to a node. */
enum NodeOrder {
  /** Puts the stable keys. */
  FILL,
  /** Starts the clients. */
  WORK,
  /** Ends the clients; reports whether all of them ended. */
  STOP,
  /**
   * Reports how many members the node knows, and the number of copies of the entry with the fewest.
   */
  STATE,
  /** Reports the owners of a key. */
  OWNERS,
  /** Writes a key until it succeeds; reports when it did. */
  PROBE,
  /** Reads every register and counter there ever was. */
  READ_ALL,
  /** Stops, leaves the grid and ends. */
  LEAVE
}
