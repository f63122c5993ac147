package io.cantle.core.operation;

import io.cantle.core.base.Output;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaLogSummary.MissingWrites;
import io.cantle.core.replica.ReplicationBatch;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Resends writes that other writers have not acknowledged for a while, for the segments of which
 * this node is the primary. The network may lose messages, and an answer needs all writers.
 *
 * <p><b>Threading:</b> any thread; never waits.
 */
final class WriteResender {
  private static final long RESEND_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int MAX_ITEMS_PER_MEMBER = 128;

  /** Small enough that a message may be sent from any thread. */
  private static final int MAX_MESSAGE_BYTES = 12 << 10;

  private final ReplicaContext context;
  private final MessagingService messaging;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  WriteResender(ReplicaContext context) {
    this.context = context;
    this.messaging = context.messaging();
  }

  /** Follows up on writes that were sent to the other writers: what is committed, what is lost. */
  void onReplicated() {
    context.progressExchange().notifySoon();
    scheduleResend();
  }

  /** Checks after a while whether what was just sent is acknowledged. */
  void scheduleResend() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      context.environment().clock().schedule(RESEND_AFTER_NANOS, this::resendOverdue);
    }
  }

  private void resendOverdue() {
    scheduled.set(false);
    for (Replica replica : context.replicas().all()) {
      if (replica.state().isActivePrimary()) {
        replica
            .progress()
            .findUnacknowledged(MAX_ITEMS_PER_MEMBER)
            .forEach(unacknowledged -> resend(replica, unacknowledged));
        if (replica.progress().hasUnacknowledgedWrites()) {
          scheduleResend();
        }
      }
    }
  }

  private void resend(Replica replica, MissingWrites unacknowledged) {
    context.topologyDriver().recordUnanswered(unacknowledged.member());
    Output out = null;
    for (OrderedWrite write : unacknowledged.writes()) {
      ReplicationBatch.SegmentWrite resent = replica.progress().resentWrite(write);
      if (resent == null) {
        continue;
      }
      if (out == null) {
        out =
            messaging.encode(
                unacknowledged.member(),
                new ReplicationBatch(replica.cache(), List.of(), replica.state().isScattered()));
      }
      // The commit index is left out, because it may be beyond the resent writes.
      resent.write(out);
      if (out.position() >= MAX_MESSAGE_BYTES) {
        messaging.post(unacknowledged.member(), out);
        out = null;
      }
    }
    if (out != null) {
      messaging.post(unacknowledged.member(), out);
    }
  }
}
