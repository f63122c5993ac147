package io.cantle.chaos;

/** What the conductor tells a node to do. */
enum NodeOrder {
  /** Puts the keys nobody changes. */
  FILL,
  /** Starts the clients. */
  WORK,
  /** Ends the clients; says whether all of them came to an end. */
  STOP,
  /** Says how many members it knows and how many copies the entry with the fewest has. */
  STATE,
  /** Says who owns a key. */
  OWNERS,
  /** Writes a key until that has worked; says when it had. */
  PROBE,
  /** Reads every register and counter there ever was. */
  READ_ALL,
  /** Stops, leaves the grid and ends. */
  LEAVE
}
