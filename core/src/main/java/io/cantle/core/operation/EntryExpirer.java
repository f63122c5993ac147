package io.cantle.core.operation;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.replica.CommitNotifier;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.PrimaryInitiatedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaExpiry;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends entries that have lived their time. A primary does it by a write of its own, a tick, before
 * it looks at its entries for anybody: so nobody is told of an entry that is due, and who is told
 * that it is gone is told so only when all owners know. Between calls a timer, the reaper, looks
 * after the segments led from here; it runs while any of these has a deadline, and not otherwise.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class EntryExpirer implements ExpiryTrigger {
  private static final long REAP_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final MessagingService messaging;
  private final Environment environment;
  private final ReplicaTable replicas;
  private final CommitNotifier commitNotifier;
  private final WriteResender resender;
  private final AtomicBoolean reapScheduled = new AtomicBoolean();
  private volatile boolean closed;

  /** The end of entries of these replicas. */
  public EntryExpirer(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      Environment environment,
      ReplicaTable replicas,
      CommitNotifier commitNotifier) {
    this.messaging = messaging;
    this.environment = environment;
    this.replicas = replicas;
    this.commitNotifier = commitNotifier;
    this.resender = new WriteResender(messaging, topologyDriver, environment, replicas);
  }

  /** What sends again whatever primaries write. */
  WriteResender resender() {
    return resender;
  }

  @Override
  public void expireDue(Replica replica) {
    if (replica.expiry().isExpiryDue()) {
      replicate(replica, replica.expiry().writeTickIfDue());
    }
  }

  /** Whether there may be entries whose reads are noted. */
  static boolean mayHaveExpiringEntries(Replica replica) {
    return replica.entries().earliestExpiryMillis() != ExpiryTime.NEVER;
  }

  /**
   * What is to be told of an entry that is read for somebody. If it ends when it is not read: the
   * same value, as of which the read is noted. It is told only when all owners know, for the next
   * primary must not end it too early. Who is not the primary refuses what only that can tell.
   */
  LocalRead noteRead(Replica replica, LocalRead found) {
    Entry entry = found.entry();
    if (entry == null || replica.expiry().isCertainlyLive(entry)) {
      return found;
    }
    if (!replica.state().isActivePrimary()) {
      return new LocalRead(LocalRead.Status.REFUSED, found.epoch(), null);
    }
    PrimaryInitiatedWrite touch =
        ReplicaExpiry.tracksReads(entry) ? replica.expiry().writeTouch(entry) : null;
    replicate(replica, touch);
    return touch != null && touch.write() instanceof OrderedWrite.TouchWrite(Entry touched)
        ? new LocalRead(LocalRead.Status.DIRTY, touch.state().epoch(), touched)
        : found;
  }

  private void replicate(Replica replica, @Nullable PrimaryInitiatedWrite ordered) {
    if (ordered == null || ordered.state().others().isEmpty()) {
      return;
    }
    commitNotifier.notifySoon();
    resender.scheduleResend();
    ReplicaState state = ordered.state();
    OrderedWrite write = ordered.write();
    for (Member other : state.others()) {
      Output out = messaging.newMessage(MessageKind.REPLICATE, 0, write.maxSizeBytes() + 64);
      out.writeVarint(replica.cache());
      WriteHandler.writeItem(
          out,
          replica,
          state.epoch(),
          ordered.committed(),
          OrderedWrite.OriginNotice.NONE,
          write,
          false);
      messaging.post(other, out);
    }
  }

  @Override
  public void scheduleExpiry() {
    if (!reapScheduled.get() && reapScheduled.compareAndSet(false, true)) {
      environment.clock().schedule(REAP_INTERVAL_NANOS, this::reap);
    }
  }

  /** Ends nothing more. */
  public void close() {
    closed = true;
  }

  private void reap() {
    reapScheduled.set(false);
    if (closed) {
      return;
    }
    boolean anyLeft = false;
    for (Replica[] cache : replicas.all()) {
      for (Replica replica : cache) {
        if (replica.entries().earliestExpiryMillis() != ExpiryTime.NEVER
            && replica.state().isActivePrimary()) {
          expireDue(replica);
          anyLeft = true;
        }
      }
    }
    if (anyLeft) {
      scheduleExpiry();
    }
  }
}
