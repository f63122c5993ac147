package io.cantle.jgroups;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
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
 * member of a view of this node. There are at most {@link #MAX_NEWCOMERS} receive windows of
 * newcomers, and in each at most {@link #MAX_WAITING} short messages wait for an earlier one. What
 * is beyond, and every fragment, is dropped as if the network had lost it: a node that is about to
 * join sends it again until it is a member.
 *
 * <p>Former members are no newcomers. A peer on the other side of a cut sends fragments and many
 * messages before it is a member again, and the messages that merge the views come after them.
 *
 * <p><b>Threading:</b> any thread; {@code windows} is guarded by {@code recv_table_lock}.
 */
final class EagerAckUnicast extends UNICAST3 {
  static final int MAX_NEWCOMERS = 128;
  static final int MAX_WAITING = 16;
  static final int MAX_WAITING_BYTES = 4 << 10;

  /** How far ahead a number may be; JGroups allocates a row for each 1,024 numbers. */
  static final int MAX_AHEAD = 8 << 10;

  private static final int MAX_FORMER_MEMBERS = 1_024;
  private static final int BYTES_PER_ACKNOWLEDGEMENT = 1 << 20;
  private static final short FRAGMENTS = ClassConfigurator.getProtocolId(FRAG4.class);

  private final AtomicLong bytesSinceAcknowledgement = new AtomicLong();
  private final Map<Address, ReceiveWindow> windows = new LinkedHashMap<>();

  /** The members of the view, and the former members that this node saw last. */
  private volatile Set<Address> membersSeen = Set.of();

  /** What was received of a peer since it began to number its messages. */
  private record ReceiveWindow(short connection, Table<Message> messages) {}

  EagerAckUnicast() {
    setId(ClassConfigurator.getProtocolId(UNICAST3.class));
  }

  @Override
  public @Nullable Object down(Event event) {
    if (event.getType() == Event.VIEW_CHANGE) {
      View view = event.getArg();
      membersSeen = RecentAddresses.add(membersSeen, view.getMembers(), MAX_FORMER_MEMBERS);
    }
    return super.down(event);
  }

  @Override
  protected void handleDataReceived(
      Address sender, long number, short connection, boolean first, Message message) {
    if (membersSeen.contains(sender)) {
      super.handleDataReceived(sender, number, connection, first, message);
    } else if (isAccepted(sender, number, connection, first, message)) {
      super.handleDataReceived(sender, number, connection, first, message);
      // It would hold on to the last messages of the sender.
      cached_batches.remove(sender);
    }
  }

  private boolean isAccepted(
      Address sender, long number, short connection, boolean first, Message message) {
    if (message.getHeader(FRAGMENTS) != null) {
      return false;
    }
    ReceiveWindow window = window(sender);
    if (window == null || window.connection() != connection) {
      if (!first) {
        sendRequestForFirstSeqno(sender, message.getDest());
      }
      return first;
    }
    Table<Message> messages = window.messages();
    long next = messages.getHighestDelivered() + 1;
    if (number - next >= MAX_AHEAD) {
      // Alone, the sender would only send its highest number again.
      requestNext(sender, next, message.getDest());
      return false;
    }
    return number <= next || message.isFlagSet(Message.Flag.OOB) || mayWait(messages, message);
  }

  /** A message out of band is delivered at once; any other waits for those before it. */
  private static boolean mayWait(Table<Message> messages, Message message) {
    return messages.size() < MAX_WAITING && message.size() <= MAX_WAITING_BYTES;
  }

  private void requestNext(Address sender, long next, Address destination) {
    if (last_sync_sent.addIfAbsentOrExpired(sender)) {
      SeqnoList missing = new SeqnoList(MAX_WAITING, next).add(next, next + MAX_WAITING - 1);
      retransmit(missing, sender, destination);
    }
  }

  private @Nullable ReceiveWindow window(Address sender) {
    recv_table_lock.lock();
    try {
      return recv_table.containsKey(sender) ? windows.get(sender) : null;
    } finally {
      recv_table_lock.unlock();
    }
  }

  /** Called with the lock held. */
  @Override
  protected ReceiverEntry createReceiverEntry(
      Address sender, long number, short connection, Address destination) {
    ReceiveWindow window = new ReceiveWindow(connection, createTable(number));
    ReceiverEntry entry = new ReceiverEntry(window.messages(), connection, destination);
    windows.keySet().retainAll(recv_table.keySet());
    recv_table.put(sender, entry);
    windows.put(sender, window);
    long newcomers = windows.keySet().stream().filter(peer -> !membersSeen.contains(peer)).count();
    if (newcomers > MAX_NEWCOMERS) {
      forgetOldestNewcomer();
    }
    return entry;
  }

  private void forgetOldestNewcomer() {
    for (Iterator<Address> each = windows.keySet().iterator(); each.hasNext(); ) {
      Address oldest = each.next();
      if (!membersSeen.contains(oldest)) {
        each.remove();
        recv_table.remove(oldest);
        return;
      }
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
}
