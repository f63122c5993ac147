package io.cantle.core.operation;

import io.cantle.core.container.Entry;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.PrimaryInitiatedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaExpiry;
import io.cantle.core.replica.ReplicationBatch;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends expired entries. The primary does so by a write of its own, a tick, before it reads entries
 * for a caller. No caller is therefore given an entry that is due, and a caller learns that an
 * entry is gone only when all owners know it. Between calls a timer, the reaper, checks the
 * segments of this primary. It is started when a replica has an entry that expires, and runs while
 * some replica of this node has a deadline, since the node may be the primary soon.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class EntryExpirer implements ExpiryTrigger {
  private static final long REAP_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final MessagingService messaging;
  private final ReplicaContext context;
  private final WriteResender resender;
  private final AtomicBoolean reapScheduled = new AtomicBoolean();
  private volatile boolean closed;

  /** Creates an expirer for the entries of these replicas. */
  public EntryExpirer(ReplicaContext context) {
    this.context = context;
    this.messaging = context.messaging();
    this.resender = new WriteResender(context);
    context
        .replicas()
        .addCreationListener(one -> one.expiry().setDeadlineListener(this::scheduleReap));
  }

  /** The resender of the primary's writes. */
  WriteResender resender() {
    return resender;
  }

  @Override
  public void expireDue(Replica replica) {
    if (replica.expiry().mayBeDue()) {
      replicateIfMade(replica, replica.expiry().writeTickIfDue());
    }
  }

  /**
   * Returns what a read may answer. The read of an entry with an idle time is recorded, and the
   * recorded version, with the same value, is returned. It may be answered only once all owners
   * hold it, because the next primary must not end the entry too early. A node that is not the
   * primary refuses what only the primary can answer.
   */
  LocalRead noteRead(Replica replica, LocalRead found) {
    Entry entry = found.entry();
    if (entry == null || replica.expiry().isCertainlyLive(entry)) {
      return found;
    }
    if (!replica.state().isActivePrimary()) {
      return LocalRead.refused(found.epoch());
    }
    PrimaryInitiatedWrite touch =
        ReplicaExpiry.tracksReads(entry) ? replica.expiry().writeTouch(entry) : null;
    replicateIfMade(replica, touch);
    return touch != null && touch.write() instanceof OrderedWrite.TouchWrite(Entry touched)
        ? new LocalRead(LocalRead.Status.DIRTY, touch.state().epoch(), touched)
        : found;
  }

  private void replicateIfMade(Replica replica, @Nullable PrimaryInitiatedWrite write) {
    replicate(replica, write == null ? List.of() : List.of(write));
  }

  /** Sends writes that the primary made in one step to the other writers. */
  void replicate(Replica replica, List<PrimaryInitiatedWrite> writes) {
    TreeMap<Member, List<ReplicationBatch.SegmentWrite>> batches = new TreeMap<>();
    for (PrimaryInitiatedWrite made : writes) {
      addTo(batches, replica, made);
    }
    if (!batches.isEmpty()) {
      resender.onReplicated();
    }
    for (Map.Entry<Member, List<ReplicationBatch.SegmentWrite>> sent : batches.entrySet()) {
      Member other = sent.getKey();
      ReplicationBatch batch = new ReplicationBatch(replica.cache(), sent.getValue());
      messaging.post(other, batch);
    }
    replica.performEffects();
  }

  /** Adds a write that the primary made to what is sent to each of its receivers. */
  static void addTo(
      Map<Member, List<ReplicationBatch.SegmentWrite>> batches,
      Replica replica,
      PrimaryInitiatedWrite made) {
    ReplicationBatch.SegmentWrite write =
        replica.segmentWrite(made.committed(), made.write(), made.route().chain());
    for (Member receiver : made.route().receivers()) {
      batches.computeIfAbsent(receiver, member -> new ArrayList<>()).add(write);
    }
  }

  private void scheduleReap() {
    if (!reapScheduled.get() && reapScheduled.compareAndSet(false, true)) {
      context.environment().clock().schedule(REAP_INTERVAL_NANOS, this::reap);
    }
  }

  /** Ends no further entries. */
  public void close() {
    closed = true;
  }

  private void reap() {
    reapScheduled.set(false);
    if (closed) {
      return;
    }
    for (Replica replica : context.replicas().all()) {
      if (replica.expiry().hasDeadline()) {
        expireDue(replica);
        scheduleReap();
      }
    }
  }
}
