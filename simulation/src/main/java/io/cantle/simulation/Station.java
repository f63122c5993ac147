package io.cantle.simulation;

/**
 * A node of the run: the peer, the host it lives on, and what it is doing.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Station {
  private final Host host;
  private final SimulatedTransport transport;
  private final Peer peer;
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

  Station(Host host, SimulatedTransport transport, Peer peer) {
    this.host = host;
    this.transport = transport;
    this.peer = peer;
  }

  Host host() {
    return host;
  }

  SimulatedTransport transport() {
    return transport;
  }

  Peer peer() {
    return peer;
  }

  State state() {
    return state;
  }

  void become(State next) {
    state = next;
  }

  /** It has closed, and was not killed. */
  void left() {
    left = true;
    become(State.GONE);
  }

  /** Whether it closed, and was not killed. */
  boolean closed() {
    return left;
  }

  /** A client of this node has begun. */
  void clientBegan() {
    clients++;
  }

  /** A client of this node has ended. */
  void clientEnded() {
    clients--;
  }

  /** How many clients work here; those of a dead node do not count. */
  int clients() {
    return state == State.GONE ? 0 : clients;
  }

  @Override
  public String toString() {
    return host.name() + " " + state;
  }
}
