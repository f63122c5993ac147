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
import org.jgroups.util.Table;
import org.jspecify.annotations.Nullable;

/**
 * A UNICAST3 that also acknowledges by the number of bytes. UNICAST3 acknowledges messages that
 * arrive one by one only at intervals, and a sender keeps everything it has sent since. During a
 * transfer that would be a large part of the heap.
 *
 * <p>What peers that are no members can make this node keep is bounded: {@link #MAX_NEWCOMERS}
 * receive windows, each with {@link #MAX_AHEAD} short messages that wait for an earlier one. What
 * is beyond, and every fragment, is dropped as if the network had lost it: a node that is about to
 * join sends it again until it is a member.
 *
 * <p><b>Threading:</b> any thread; {@code windows} is guarded by {@code recv_table_lock}.
 */
final class EagerAckUnicast extends UNICAST3 {
  static final int MAX_NEWCOMERS = 128;
  static final int MAX_AHEAD = 16;
  static final int MAX_BYTES_AHEAD = 4 << 10;

  private static final int BYTES_PER_ACKNOWLEDGEMENT = 1 << 20;
  private static final short FRAGMENTS = ClassConfigurator.getProtocolId(FRAG4.class);

  private final AtomicLong bytesSinceAcknowledgement = new AtomicLong();
  private final Map<Address, ReceiveWindow> windows = new LinkedHashMap<>();
  private volatile Set<Address> present = Set.of();

  /** What was received of a peer since it began to number its messages. */
  private record ReceiveWindow(short connection, Table<Message> messages) {}

  EagerAckUnicast() {
    setId(ClassConfigurator.getProtocolId(UNICAST3.class));
  }

  @Override
  public @Nullable Object down(Event event) {
    if (event.getType() == Event.VIEW_CHANGE) {
      View view = event.getArg();
      present = Set.copyOf(view.getMembers());
    }
    return super.down(event);
  }

  @Override
  protected void handleDataReceived(
      Address sender, long number, short connection, boolean first, Message message) {
    if (present.contains(sender)) {
      super.handleDataReceived(sender, number, connection, first, message);
    } else if (isWithinReach(sender, number, connection, first, message)) {
      super.handleDataReceived(sender, number, connection, first, message);
      // It would hold on to the last messages of the sender.
      cached_batches.remove(sender);
    }
  }

  private boolean isWithinReach(
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
    long ahead = number - window.messages().getHighestDelivered();
    return ahead <= 1 || (ahead <= MAX_AHEAD && message.size() <= MAX_BYTES_AHEAD);
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
    long newcomers = windows.keySet().stream().filter(peer -> !present.contains(peer)).count();
    if (newcomers > MAX_NEWCOMERS) {
      forgetOldestNewcomer();
    }
    return entry;
  }

  private void forgetOldestNewcomer() {
    for (Iterator<Address> each = windows.keySet().iterator(); each.hasNext(); ) {
      Address oldest = each.next();
      if (!present.contains(oldest)) {
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
