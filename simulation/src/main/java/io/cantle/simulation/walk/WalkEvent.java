package io.cantle.simulation.walk;

/**
 * A kind of event that is counted in walks. A campaign in which it never happens proves nothing
 * about it.
 */
enum WalkEvent {
  TOPOLOGY("topologies"),
  CRASH("crashes"),
  RETURN("returns with a store"),
  CUT("cuts"),
  FORK("forks"),
  PROMOTION_AMID_JOINS("joiners promoted while others join"),
  RESCUE("segments saved by a joiner"),
  LOSS("segments lost"),
  FIND("lost segments found"),
  EMPTY_BEGINNING("segments begun empty"),
  QUIET("walks that came to rest"),
  NO_MAJORITY("walks that ended without a majority");

  private final String plural;

  WalkEvent(String plural) {
    this.plural = plural;
  }

  /** Returns the name of several of them. */
  String plural() {
    return plural;
  }
}
