package io.cantle.chaos;

/** The kinds of faults that a run inflicts on its nodes. */
enum FaultKind {
  /** SIGKILL of the primary of a key, which restarts at once. */
  KILL_AND_RESTART_AT_ONCE("killsRestartedAtOnce", 6, false),
  /** SIGKILL of the primary of a key, which restarts when the others have gone on without it. */
  KILL_AND_RESTART_LATER("killsRestartedLater", 6, false),
  /**
   * SIGSTOP of the primary of a key for 1 to 20 s, then SIGCONT; others may be killed meanwhile.
   */
  PAUSE("pauses", 10, false),
  /** A minority is cut off. */
  HALVES("partitionsInHalves", 1, true),
  /** One node is cut off. */
  ISOLATE("partitionsOfOneNode", 1, true),
  /** One node is not heard, or does not hear the others. */
  ONE_WAY("partitionsOneWay", 1, true),
  /** Two groups and one node that hears both. */
  BRIDGE("partitionsWithBridge", 1, true),
  /** Each node hears two others. */
  RING("partitionsInRing", 1, true),
  /** The links of one node are cut and healed each second. */
  FLAP("flappingLinks", 1, true),
  /** Three more nodes join at once, and leave again at once. */
  JOIN_STORM("joinStorms", 1, false),
  /** Each node in turn leaves and restarts. */
  ROLLING_RESTART("rollingRestarts", 1, false),
  /** All nodes but one leave, one after another, without waiting; then they restart. */
  SCALE_DOWN("scaleDowns", 1, false);

  private final String plural;
  private final int share;
  private final boolean cuts;

  FaultKind(String plural, int share, boolean cuts) {
    this.plural = plural;
    this.share = share;
    this.cuts = cuts;
  }

  /** Returns the name of its count. */
  String plural() {
    return plural;
  }

  /** Returns how often it appears in one round of all kinds. */
  int share() {
    return share;
  }

  /** Returns whether it needs a network that can be cut. */
  boolean isCut() {
    return cuts;
  }
}
