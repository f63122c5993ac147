package io.cantle.jgroups;

import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Address;
import org.jgroups.Message;

/**
 * A UNICAST3 that also acknowledges by the number of bytes. UNICAST3 acknowledges messages that
 * arrive one by one only at intervals, and a sender keeps everything it has sent since. During a
 * transfer that would be a large part of the heap.
 *
 * <p><b>Threading:</b> any thread.
 */
final class EagerAckUnicast extends BoundedUnicast {
  private static final int BYTES_PER_ACKNOWLEDGEMENT = 1 << 20;

  private final AtomicLong bytesSinceAcknowledgement = new AtomicLong();

  @Override
  protected void addMessage(ReceiverEntry entry, Address sender, long number, Message message) {
    super.addMessage(entry, sender, number, message);
    if (bytesSinceAcknowledgement.addAndGet(message.getLength()) >= BYTES_PER_ACKNOWLEDGEMENT) {
      bytesSinceAcknowledgement.set(0);
      sendPendingAcks();
    }
  }
}
