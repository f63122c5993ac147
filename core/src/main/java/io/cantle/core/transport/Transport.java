package io.cantle.core.transport;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.List;

/**
 * The port to the network: one-way messages between members, and hints about which members are
 * present. Everything above it (requests, responses, deadlines, retries) is built from these.
 *
 * <p>A message usually arrives once. It may also be lost, be duplicated, overtake others, or arrive
 * late, from a member that was excluded meanwhile.
 *
 * <p><b>Peers that are not known to belong to the grid.</b> Anyone may open a connection and send
 * anything. Until a transport knows that a peer belongs to the grid, it keeps to these rules, and
 * has tests for each:
 *
 * <ul>
 *   <li>Only Cantle's own decoder reads what the peer sends. It checks each length against what has
 *       arrived and each count against a limit. Java serialization is never used. No class is
 *       looked up by a name on the wire, or instantiated because of a number on it.
 *   <li>A length above the limit is refused before memory is allocated for it.
 *   <li>A connection has a deadline by which its peer must show that it belongs to the grid. Until
 *       then it costs no thread, and no more memory than what the peer must show.
 *   <li>The number of connections that have not shown this is bounded, for each address and in all;
 *       beyond that, the oldest is closed. None of them delays connections of members or of a
 *       joining node.
 *   <li>A connection that breaks a rule or causes an error is closed, and nothing more is read from
 *       it.
 *   <li>Problems are logged once a minute for each kind, in printable lines, see {@link
 *       RateLimitedLog}.
 * </ul>
 *
 * <p>The rules on reading hold for members as well. A transport passes up only messages of bytes.
 *
 * <p>The transport bounds the data that waits to be sent to each member. A message longer than
 * {@link #SMALL_MESSAGE_BYTES} waits in {@link #send} until there is room. {@code send} returns
 * when all but a bounded part of the message has left this node, so that the sender can release the
 * memory it has reserved.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Transport extends AutoCloseable {

  /** The longest message that a transport carries, in bytes. */
  int MAX_MESSAGE_BYTES = 64 << 20;

  /**
   * Connects, and returns once this node is a member. From then on the receiver is called. To be
   * called once.
   */
  void start(Receiver receiver);

  /** The member of this node, the same before and after {@link #start}. */
  Member self();

  /**
   * Sends a message to another member. The output belongs to the transport from now on: neither it
   * nor its array may be touched again. A message of up to {@link #SMALL_MESSAGE_BYTES} never waits
   * long, so a receiver may answer on the thread on which it was called. A longer one may wait for
   * the network and must be sent from a thread that may.
   */
  void send(Member to, Output message);

  /**
   * Sends a message like {@link #send(Member, Output)}, but waits no longer than a given time.
   * After so many nanoseconds the message is under way, whether there is room for more or not.
   */
  default void send(Member to, Output message, long maxWaitNanos) {
    send(to, message);
  }

  /**
   * Sends a short message that bypasses others. It does not wait behind earlier messages, may
   * overtake all of them, and is not sent again if it is lost. For messages that are repeated
   * anyway and are useless when late, such as lease renewals. Never waits.
   */
  default void sendUrgent(Member to, Output message) {
    send(to, message);
  }

  /** The longest message that may be sent from within {@link Receiver#receive}, in bytes. */
  int SMALL_MESSAGE_BYTES = 16 << 10;

  /**
   * Sets the members of the grid that this node is in; none while it is in no grid. Any other peer
   * may be a stranger, and is given little. Never waits.
   */
  default void setMembers(List<Member> members) {}

  /**
   * Where a member listens, as {@code host:port}, for people to read. Empty if that is not known,
   * as of a member that is not present, or if there is no network.
   */
  default String addressOf(Member member) {
    return "";
  }

  /** Leaves the network. The receiver is not called after this has returned. */
  @Override
  void close();

  /**
   * Closes every socket at once, without leaving in an orderly way, so that other nodes notice. For
   * a node that has run out of memory. Never waits, needs almost no memory, and may be called by
   * any thread, several times; {@link #close} follows.
   */
  default void abort() {}

  /** What a transport calls. */
  interface Receiver {

    /**
     * A message has arrived. Called on a thread of the transport, which must not be blocked. The
     * bytes behind the input never change, so they may be kept without a copy.
     */
    void receive(Member from, Input message);

    /**
     * A hint at the members that seem to be present, including this node. Other nodes may see other
     * members in another order, and a member that was gone may be back.
     */
    void onMembersChanged(List<Member> members);

    /**
     * A thread of the transport ran out of memory. What it had begun is undone, but other damage
     * cannot be ruled out. The node closes itself, and this transport with it.
     */
    default void onOutOfMemory(OutOfMemoryError error) {
      throw error;
    }
  }
}
