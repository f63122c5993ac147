package io.cantle.simulation;

/**
 * The source of membership views: what each member of the network is told about the others.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
interface MembershipViews {

  /** Records that a transport has been started. */
  void onJoin(SimulatedTransport link);

  /** Records that a transport was closed. */
  void onRemove(SimulatedTransport link);

  /** Records that a host was killed; the others notice later. */
  void onCrash(SimulatedTransport link);

  /** Reconsiders who hears whom, after a cut or a pause has begun or ended. */
  void onReachChange();

  /** Suspects a member although it is present. */
  void injectSuspicion(SimulatedTransport link);

  /** Returns whether every live member was told of all live members, and of no others. */
  boolean isSettled();
}
