package io.cantle.jgroups;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.util.SeqnoList;
import org.jspecify.annotations.Nullable;

/**
 * A UNICAST3 in which newcomers can make this node keep little. A newcomer is a peer that has never
 * been a member of a view of this node. The oldest of more than {@link #MAX_NEWCOMERS} is
 * forgotten.
 *
 * <ul>
 *   <li><b>From a newcomer</b> a few short messages wait for an earlier one, see {@link
 *       NewcomerWindow}. What is beyond, and every fragment, is dropped as if the network had lost
 *       it: a node that is about to join sends it again until it is a member. A fragment that has
 *       held up all else for long is passed over, for then the node is on the other side of a cut,
 *       and the messages that merge the views stand behind the fragment.
 *   <li><b>To a newcomer</b> at most {@link #MAX_UNACKNOWLEDGED} messages and about {@link
 *       #MAX_UNACKNOWLEDGED_BYTES} are kept until it acknowledges them. Others are dropped.
 * </ul>
 *
 * <p>Former members are no newcomers. A peer on the other side of a cut sends fragments and many
 * messages before it is a member again.
 *
 * <p>It also acknowledges by the number of bytes. UNICAST3 acknowledges messages that arrive one by
 * one only at intervals, and a sender keeps everything it has sent since. During a transfer that
 * would be a large part of the heap.
 *
 * <p><b>Threading:</b> any thread.
 */
final class BoundedUnicast extends UNICAST3 {
  static final int MAX_NEWCOMERS = 128;
  static final int MAX_UNACKNOWLEDGED = 32;
  static final int MAX_UNACKNOWLEDGED_BYTES = 128 << 10;
  private static final int BYTES_PER_ACKNOWLEDGEMENT = 1 << 20;

  private final AtomicLong bytesSinceAcknowledgement = new AtomicLong();

  /** What was received of each newcomer, the oldest first. */
  @GuardedBy("recv_table_lock")
  private final SequencedMap<Address, NewcomerWindow> senders = new LinkedHashMap<>();

  /** The bytes sent to newcomers since each has acknowledged everything, the oldest first. */
  @GuardedBy("receivers")
  private final SequencedMap<Address, Integer> receivers = new LinkedHashMap<>();

  /** The members of the view, and the former members that this node saw last. */
  private final RecentAddresses membersSeen = new RecentAddresses();

  BoundedUnicast() {
    setId(ClassConfigurator.getProtocolId(UNICAST3.class));
  }

  @Override
  public @Nullable Object down(Event event) {
    if (event.getType() == Event.VIEW_CHANGE) {
      View view = event.getArg();
      membersSeen.add(view.getMembers());
    }
    return super.down(event);
  }

  @Override
  public @Nullable Object down(Message message) {
    Address to = message.getDest();
    boolean isKept = to != null && !message.isFlagSet(Message.Flag.NO_RELIABILITY);
    if (isKept && !membersSeen.contains(to) && !mayKeep(to, message.getLength())) {
      return null;
    }
    return super.down(message);
  }

  private boolean mayKeep(Address newcomer, int length) {
    synchronized (receivers) {
      int unacknowledged = getNumUnackedMessages(newcomer);
      int before = unacknowledged == 0 ? 0 : receivers.getOrDefault(newcomer, 0);
      if (unacknowledged >= MAX_UNACKNOWLEDGED || before >= MAX_UNACKNOWLEDGED_BYTES) {
        return false;
      }
      receivers.put(newcomer, before + length);
      receivers.keySet().removeIf(membersSeen::contains);
      if (receivers.size() > MAX_NEWCOMERS) {
        removeSendConnection(receivers.sequencedKeySet().removeFirst());
      }
      return true;
    }
  }

  @Override
  protected void handleDataReceived(
      Address sender, long number, short connection, boolean first, Message message) {
    if (membersSeen.contains(sender)) {
      super.handleDataReceived(sender, number, connection, first, message);
      return;
    }
    ReceiverEntry entry = getReceiverEntry(sender, number, first, connection, message.getDest());
    if (entry == null) {
      return;
    }
    NewcomerWindow window = window(sender);
    if (window == null) {
      // The entry is of a time when the sender was a member; it begins another one.
      recv_table.remove(sender, entry);
    } else if (window.accepts(number, message)) {
      addMessage(entry, sender, number, message);
      removeAndDeliver(window.messages(), sender, null, 1);
      // It would hold on to the last messages of the sender.
      cached_batches.remove(sender);
    } else if (number > window.next()) {
      // Alone, the sender would only send its highest number again.
      requestNext(sender, window.next(), message.getDest());
    } else if (window.isHeldUpBy(number, message, System.nanoTime())) {
      window.messages().add(number, DUMMY_OOB_MSG);
      sendAck(sender, window.messages().getHighestDeliverable(), connection, message.getDest());
      removeAndDeliver(window.messages(), sender, null, 1);
    }
  }

  @Override
  protected void addMessage(ReceiverEntry entry, Address sender, long number, Message message) {
    super.addMessage(entry, sender, number, message);
    if (bytesSinceAcknowledgement.addAndGet(message.getLength()) >= BYTES_PER_ACKNOWLEDGEMENT) {
      bytesSinceAcknowledgement.set(0);
      sendPendingAcks();
    }
  }

  private @Nullable NewcomerWindow window(Address sender) {
    recv_table_lock.lock();
    try {
      return senders.get(sender);
    } finally {
      recv_table_lock.unlock();
    }
  }

  private void requestNext(Address sender, long next, Address destination) {
    if (last_sync_sent.addIfAbsentOrExpired(sender)) {
      int count = NewcomerWindow.MAX_WAITING;
      SeqnoList missing = new SeqnoList(count, next).add(next, next + count - 1);
      retransmit(missing, sender, destination);
    }
  }

  /** UNICAST3 holds the lock. */
  @Override
  @GuardedBy("recv_table_lock")
  protected ReceiverEntry createReceiverEntry(
      Address sender, long number, short connection, Address destination) {
    return membersSeen.contains(sender)
        ? super.createReceiverEntry(sender, number, connection, destination)
        : createNewcomerEntry(sender, number, connection, destination);
  }

  @GuardedBy("recv_table_lock")
  private ReceiverEntry createNewcomerEntry(
      Address sender, long number, short connection, Address destination) {
    NewcomerWindow window = new NewcomerWindow(createTable(number));
    ReceiverEntry entry = new ReceiverEntry(window.messages(), connection, destination);
    recv_table.put(sender, entry);
    senders.keySet().removeIf(membersSeen::contains);
    senders.putLast(sender, window);
    if (senders.size() > MAX_NEWCOMERS) {
      forgetOldestSender();
    }
    return entry;
  }

  @GuardedBy("recv_table_lock")
  private void forgetOldestSender() {
    Address oldest = senders.sequencedKeySet().removeFirst();
    recv_table.remove(oldest);
    xmit_task_map.remove(oldest);
    last_sync_sent.remove(oldest);
  }
}
