package io.cantle.jgroups;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.Table;
import org.jspecify.annotations.Nullable;

/**
 * A UNICAST3 that also acknowledges by the number of bytes. UNICAST3 acknowledges messages that
 * arrive one by one only at intervals, and a sender keeps everything it has sent since. During a
 * transfer that would be a large part of the heap.
 *
 * <p>What newcomers can make this node keep is bounded. A newcomer is a peer that has never been a
 * member of a view of this node. The oldest of more than {@link #MAX_NEWCOMERS} is forgotten.
 *
 * <ul>
 *   <li><b>From a newcomer</b> at most {@link #MAX_WAITING} short messages wait for an earlier one.
 *       What is beyond, and every fragment, is dropped as if the network had lost it: a node that
 *       is about to join sends it again until it is a member. A fragment that has held up all else
 *       for {@link #MAX_HELD_UP_NANOS} is passed over, for then the node is on the other side of a
 *       cut, and the messages that merge the views stand behind the fragment.
 *   <li><b>To a newcomer</b> at most {@link #MAX_UNACKNOWLEDGED} messages and about {@link
 *       #MAX_UNACKNOWLEDGED_BYTES} are kept until it acknowledges them. Others are dropped.
 * </ul>
 *
 * <p>Former members are no newcomers. A peer on the other side of a cut sends fragments and many
 * messages before it is a member again.
 *
 * <p><b>Threading:</b> any thread; {@code senders} is guarded by {@code recv_table_lock}, and
 * {@code receivers} by {@code sending}.
 */
final class EagerAckUnicast extends UNICAST3 {
  static final int MAX_NEWCOMERS = 128;
  static final int MAX_WAITING = 16;
  static final int MAX_WAITING_BYTES = 4 << 10;
  static final int MAX_UNACKNOWLEDGED = 32;
  static final int MAX_UNACKNOWLEDGED_BYTES = 128 << 10;

  /** How far ahead a number may be; JGroups allocates a row for each 1,024 numbers. */
  static final int MAX_AHEAD = 8 << 10;

  static final long MAX_HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int BYTES_PER_ACKNOWLEDGEMENT = 1 << 20;
  private static final short FRAGMENTS = ClassConfigurator.getProtocolId(FRAG4.class);

  private final AtomicLong bytesSinceAcknowledgement = new AtomicLong();

  /** What was received of each newcomer, the oldest first. */
  private final Map<Address, Table<Message>> senders = new LinkedHashMap<>();

  /** Since when a fragment has held up the other messages of a newcomer. */
  private final Map<Address, Long> heldUpNanos = new ConcurrentHashMap<>();

  private final ReentrantLock sending = new ReentrantLock();

  /** The bytes sent to newcomers since each has acknowledged everything, the oldest first. */
  private final Map<Address, Integer> receivers = new LinkedHashMap<>();

  /** The members of the view, and the former members that this node saw last. */
  private final RecentAddresses membersSeen = new RecentAddresses();

  EagerAckUnicast() {
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
    sending.lock();
    try {
      int unacknowledged = getNumUnackedMessages(newcomer);
      int before = unacknowledged == 0 ? 0 : receivers.getOrDefault(newcomer, 0);
      if (unacknowledged >= MAX_UNACKNOWLEDGED || before >= MAX_UNACKNOWLEDGED_BYTES) {
        return false;
      }
      receivers.put(newcomer, before + length);
      receivers.keySet().removeIf(membersSeen::contains);
      if (receivers.size() > MAX_NEWCOMERS) {
        Address oldest = receivers.keySet().iterator().next();
        receivers.remove(oldest);
        removeSendConnection(oldest);
      }
      return true;
    } finally {
      sending.unlock();
    }
  }

  @Override
  protected void handleDataReceived(
      Address sender, long number, short connection, boolean first, Message message) {
    if (membersSeen.contains(sender)) {
      super.handleDataReceived(sender, number, connection, first, message);
      return;
    }
    ReceiverEntry window = getReceiverEntry(sender, number, first, connection, message.getDest());
    if (window == null) {
      return;
    }
    Table<Message> messages = messages(sender);
    if (messages == null) {
      // The window is of a time when the sender was a member; it begins another one.
      recv_table.remove(sender, window);
    } else if (isAccepted(messages, sender, number, message)) {
      addMessage(window, sender, number, message);
      removeAndDeliver(messages, sender, null, 1);
      // It would hold on to the last messages of the sender.
      cached_batches.remove(sender);
    } else if (isHeldUp(messages, sender, number)) {
      messages.add(number, DUMMY_OOB_MSG);
      sendAck(sender, messages.getHighestDeliverable(), connection, message.getDest());
      removeAndDeliver(messages, sender, null, 1);
    }
  }

  private @Nullable Table<Message> messages(Address sender) {
    recv_table_lock.lock();
    try {
      return senders.get(sender);
    } finally {
      recv_table_lock.unlock();
    }
  }

  private boolean isAccepted(
      Table<Message> messages, Address sender, long number, Message message) {
    long next = messages.getHighestDelivered() + 1;
    boolean isFragment = message.getHeader(FRAGMENTS) != null;
    boolean isAccepted =
        !isFragment
            && (number <= next
                || (number - next < MAX_AHEAD
                    && (message.isFlagSet(Message.Flag.OOB) || mayWait(messages, message))));
    if (!isAccepted && number > next) {
      // Alone, the sender would only send its highest number again.
      requestNext(sender, next, message.getDest());
    }
    return isAccepted;
  }

  /** A message out of band is delivered at once; any other waits for those before it. */
  private static boolean mayWait(Table<Message> messages, Message message) {
    return messages.size() < MAX_WAITING && message.size() <= MAX_WAITING_BYTES;
  }

  /** Whether a message that was not accepted, a fragment, has held up those behind it too long. */
  private boolean isHeldUp(Table<Message> messages, Address sender, long number) {
    if (number != messages.getHighestDelivered() + 1) {
      return false;
    }
    long now = System.nanoTime();
    Long since = heldUpNanos.putIfAbsent(sender, now);
    return since != null && now - since >= MAX_HELD_UP_NANOS;
  }

  private void requestNext(Address sender, long next, Address destination) {
    if (last_sync_sent.addIfAbsentOrExpired(sender)) {
      SeqnoList missing = new SeqnoList(MAX_WAITING, next).add(next, next + MAX_WAITING - 1);
      retransmit(missing, sender, destination);
    }
  }

  /** Called with the lock held. */
  @Override
  protected ReceiverEntry createReceiverEntry(
      Address sender, long number, short connection, Address destination) {
    return membersSeen.contains(sender)
        ? super.createReceiverEntry(sender, number, connection, destination)
        : createNewcomerEntry(sender, number, connection, destination);
  }

  private ReceiverEntry createNewcomerEntry(
      Address sender, long number, short connection, Address destination) {
    Table<Message> messages = createTable(number);
    ReceiverEntry window = new ReceiverEntry(messages, connection, destination);
    recv_table.put(sender, window);
    heldUpNanos.remove(sender);
    senders.keySet().removeIf(membersSeen::contains);
    senders.remove(sender);
    senders.put(sender, messages);
    if (senders.size() > MAX_NEWCOMERS) {
      forgetOldestSender();
    }
    return window;
  }

  private void forgetOldestSender() {
    Iterator<Address> each = senders.keySet().iterator();
    Address oldest = each.next();
    each.remove();
    recv_table.remove(oldest);
    heldUpNanos.remove(oldest);
    xmit_task_map.remove(oldest);
    last_sync_sent.remove(oldest);
  }

  @Override
  protected void addMessage(ReceiverEntry entry, Address sender, long number, Message message) {
    super.addMessage(entry, sender, number, message);
    if (bytesSinceAcknowledgement.addAndGet(message.getLength()) >= BYTES_PER_ACKNOWLEDGEMENT) {
      bytesSinceAcknowledgement.set(0);
      sendPendingAcks();
    }
  }
}
