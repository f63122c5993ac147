package io.cantle.simulation;

/**
 * What the members of a network are told about who is there.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
interface MembershipViews {

  /** A transport has been started. */
  void onJoin(SimulatedTransport link);

  /** A transport was closed. */
  void onRemove(SimulatedTransport link);

  /** A host was killed; the others notice later. */
  void onCrash(SimulatedTransport link);

  /** Somebody is heard by others than before: a cut or a pause has begun or ended. */
  void onReachChange();

  /** Takes a member for gone although it is there. */
  void injectSuspicion(SimulatedTransport link);

  /** Whether every live member was told of all live members, and of nobody else. */
  boolean isSettled();
}
