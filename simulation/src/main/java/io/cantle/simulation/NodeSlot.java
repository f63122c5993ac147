package io.cantle.simulation;

/**
 * A node of the run: the node under test, its host, and its present state.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class NodeSlot {
  private final SimulatedHost host;
  private final SimulatedTransport transport;
  private final NodeUnderTest node;
  private State state = State.STARTING;
  private int clients;
  private boolean left;

  /** The state of a node. */
  enum State {
    /** It is not admitted yet. */
    STARTING,
    /** It is a member. */
    STEADY,
    /** It is closing. */
    LEAVING,
    /** It has left or was killed. */
    GONE
  }

  NodeSlot(SimulatedHost host, SimulatedTransport transport, NodeUnderTest node) {
    this.host = host;
    this.transport = transport;
    this.node = node;
  }

  SimulatedHost host() {
    return host;
  }

  SimulatedTransport transport() {
    return transport;
  }

  NodeUnderTest node() {
    return node;
  }

  State state() {
    return state;
  }

  void setState(State next) {
    state = next;
  }

  /** Records that the node closed and was not killed. */
  void hasLeft() {
    left = true;
    setState(State.GONE);
  }

  /** Returns whether the node closed and was not killed. */
  boolean isClosed() {
    return left;
  }

  /** Records that a client of this node has begun. */
  void onClientBegan() {
    clients++;
  }

  /** Records that a client of this node has ended. */
  void onClientEnded() {
    clients--;
  }

  /** Returns how many clients work here; the clients of a dead node do not count. */
  int clientCount() {
    return state == State.GONE ? 0 : clients;
  }

  @Override
  public String toString() {
    return host.name() + " " + state;
  }
}
