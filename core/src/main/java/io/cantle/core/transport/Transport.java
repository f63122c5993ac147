package io.cantle.core.transport;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.List;

/**
 * The port to the network: one-way messages between members, and hints about who is there.
 * Everything above it (requests, answers, deadlines, retries) is built from these.
 *
 * <p>A message arrives once, as a rule. It may also be lost, come twice, overtake others, or come
 * late, from a member that was excluded meanwhile.
 *
 * <p><b>Peers that are not known to belong to the grid.</b> Anybody may open a connection and send
 * anything. Until a transport knows that a peer belongs to the grid, it keeps to these rules, and
 * has tests for each:
 *
 * <ul>
 *   <li>Only a decoder of Cantle's own reads what the peer sends. It checks each length against
 *       what has arrived and each count against a limit. Java deserialises nothing. No class is
 *       looked up by a name on the wire, or made because of a number on it.
 *   <li>A length above the limit is refused before memory is taken for it.
 *   <li>A connection has a deadline to show that its peer belongs to the grid. Until then it costs
 *       no thread, and no more memory than what it must show.
 *   <li>Connections that wait for that are bounded, of one address and in all; beyond, the oldest
 *       is closed. None of them holds up those of members, nor a node that joins.
 *   <li>What breaks a rule ends its connection, as does an error: it is never read on.
 *   <li>Trouble is logged once a minute for each kind, in printable lines, see {@link
 *       RateLimitedLog}.
 * </ul>
 *
 * <p>The rules on reading hold for members as well. A transport hands up nothing but messages of
 * bytes.
 *
 * <p>What waits to be sent is bounded by the transport, for each member: a message that is longer
 * than {@link #SMALL_MESSAGE_BYTES} waits in {@link #send} until there is room, and {@code send}
 * returns when all but a bounded part of it has left this node, so that its sender can give back
 * the memory it has reserved.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Transport extends AutoCloseable {

  /** The longest message a transport carries, in bytes. */
  int MAX_MESSAGE_BYTES = 64 << 20;

  /**
   * Connects and returns once this node is a member; from then on the receiver is called. Called
   * once.
   */
  void start(Receiver receiver);

  /** This node's member; valid after {@link #start}. */
  Member self();

  /**
   * Sends a message to another member. The output is given away: neither it nor its array may be
   * touched again. Never waits long for a message of up to {@link #SMALL_MESSAGE_BYTES}, so that a
   * receiver may answer on the thread it was called on; a longer one may wait for the network and
   * is sent from a thread that may.
   */
  void send(Member to, Output message);

  /**
   * Sends a message like {@link #send(Member, Output)}, from a thread whose caller does not wait
   * for ever: what is sent is under way after so many nanoseconds, whether there is room for more
   * or not.
   */
  default void send(Member to, Output message, long maxWaitNanos) {
    send(to, message);
  }

  /**
   * Sends a short message in a lane of its own: it does not wait behind what was sent before, may
   * overtake all of it, and is not sent again when it is lost. For what is repeated anyway and is
   * of no use when it comes late, such as renewals of leases. Never waits.
   */
  default void sendUrgent(Member to, Output message) {
    send(to, message);
  }

  /** Up to this length a message may be sent from within {@link Receiver#receive}. */
  int SMALL_MESSAGE_BYTES = 16 << 10;

  /** Leaves the network. The receiver is not called after this has returned. */
  @Override
  void close();

  /**
   * Closes every socket at once, without a farewell, so that others notice: this node has no memory
   * to go on. Waits for nothing, needs next to no memory, and may be called by any thread, also
   * several times; {@link #close} follows.
   */
  default void abort() {}

  /** What a transport calls. */
  interface Receiver {

    /**
     * A message has arrived. Called on a thread of the transport, which must not be made to wait.
     * The bytes behind the input stay as they are for ever: they may be kept without a copy.
     */
    void receive(Member from, Input message);

    /**
     * Who seems to be there, this node included: a hint. Others may see other members, in another
     * order, and one that was gone may be back.
     */
    void onMembersChanged(List<Member> members);

    /**
     * A thread of the transport ran out of memory: what it had begun is undone, and nobody knows
     * how much else is. The node closes itself, and this transport with it.
     */
    default void outOfMemory(OutOfMemoryError error) {
      throw error;
    }
  }
}
