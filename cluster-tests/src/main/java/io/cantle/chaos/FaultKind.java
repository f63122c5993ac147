package io.cantle.chaos;

/** What a run does to its nodes. */
enum FaultKind {
  /** SIGKILL of the primary of a key, which starts again at once. */
  KILL_AND_RESTART_AT_ONCE("killsRestartedAtOnce", 6, false),
  /**
   * SIGKILL of the primary of a key, which starts again when the others have gone on without it.
   */
  KILL_AND_RESTART_LATER("killsRestartedLater", 6, false),
  /**
   * SIGSTOP of the primary of a key for 1 to 20 s, then SIGCONT; others may be killed meanwhile.
   */
  PAUSE("pauses", 10, false),
  /** A minority is cut off. */
  HALVES("partitionsInHalves", 1, true),
  /** One node is cut off. */
  ISOLATE("partitionsOfOneNode", 1, true),
  /** One node is not heard, or does not hear. */
  ONE_WAY("partitionsOneWay", 1, true),
  /** Two groups and one node that hears both. */
  BRIDGE("partitionsWithBridge", 1, true),
  /** Each hears two others. */
  RING("partitionsInRing", 1, true),
  /** The links of one node come and go each second. */
  FLAP("flappingLinks", 1, true),
  /** Three nodes more at once, which leave again at once. */
  JOIN_STORM("joinStorms", 1, false),
  /** Each node in turn leaves and comes back. */
  ROLLING_RESTART("rollingRestarts", 1, false),
  /** All nodes but one leave, one after another, without waiting; then they come back. */
  SCALE_DOWN("scaleDowns", 1, false);

  private final String plural;
  private final int share;
  private final boolean cuts;

  FaultKind(String plural, int share, boolean cuts) {
    this.plural = plural;
    this.share = share;
    this.cuts = cuts;
  }

  /** The name of its count. */
  String plural() {
    return plural;
  }

  /** How often it comes in one round of all kinds. */
  int share() {
    return share;
  }

  /** Whether it needs a network that can be cut. */
  boolean isCut() {
    return cuts;
  }
}
