package io.cantle.simulation;

/**
 * A node of the run: the peer, the host it lives on, and what it is doing.
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

  /** What a node is doing. */
  enum State {
    /** It is not let in yet. */
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

  /** It has closed, and was not killed. */
  void hasLeft() {
    left = true;
    setState(State.GONE);
  }

  /** Whether it closed, and was not killed. */
  boolean isClosed() {
    return left;
  }

  /** A client of this node has begun. */
  void onClientBegan() {
    clients++;
  }

  /** A client of this node has ended. */
  void onClientEnded() {
    clients--;
  }

  /** How many clients work here; those of a dead node do not count. */
  int clientCount() {
    return state == State.GONE ? 0 : clients;
  }

  @Override
  public String toString() {
    return host.name() + " " + state;
  }
}
