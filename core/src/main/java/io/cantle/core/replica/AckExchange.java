package io.cantle.core.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Environment;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ReplicationMessage.Acknowledgement;
import io.cantle.core.wire.ReplicationMessage.AcknowledgementRequest;
import io.cantle.core.wire.SegmentIndex;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Exchanges acknowledgements: it tells primaries how far the other writers have applied writes.
 * Usually the writers answer the origin of a write themselves, so the primary waits for nothing and
 * an acknowledgement may be delayed briefly and batched with others. A caller that cannot wait,
 * such as a reader of an uncommitted entry, has the primary request acknowledgements at once.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class AckExchange {
  private static final long ACK_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final MessagingService messaging;
  private final Environment environment;
  private final ReplicaTable replicas;
  private final CommitNotifier commitNotifier;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<Member, Map<Replica, SegmentIndex>> pendingAcks = new TreeMap<>();

  @GuardedBy("lock")
  private boolean scheduled;

  /** The grid that the pending acknowledgements are about; epochs of another have other writes. */
  @GuardedBy("lock")
  private long pendingGridTag;

  /** Creates an exchange for the replicas of this table. */
  public AckExchange(
      MessagingService messaging,
      Environment environment,
      ReplicaTable replicas,
      CommitNotifier commitNotifier) {
    this.messaging = messaging;
    this.environment = environment;
    this.replicas = replicas;
    this.commitNotifier = commitNotifier;
  }

  /** Acknowledges to a primary after a short delay. */
  public void acknowledgeSoon(Member primary, Replica replica, int epoch, long applied) {
    lock.lock();
    try {
      if (pendingGridTag != messaging.gridTag()) {
        pendingGridTag = messaging.gridTag();
        pendingAcks.clear();
      }
      pendingAcks
          .computeIfAbsent(primary, member -> new LinkedHashMap<>())
          .merge(replica, replica.segmentIndex(epoch, applied), SegmentIndex::latest);
      if (!scheduled) {
        scheduled = true;
        environment.clock().schedule(ACK_DELAY_NANOS, this::sendPendingAcks);
      }
    } finally {
      lock.unlock();
    }
  }

  private void sendPendingAcks() {
    Map<Member, Acknowledgement> messages = new TreeMap<>();
    long gridTag;
    lock.lock();
    try {
      scheduled = false;
      gridTag = pendingGridTag;
      pendingAcks.forEach(
          (primary, acks) ->
              messages.put(primary, new Acknowledgement(List.copyOf(acks.values()))));
      pendingAcks.clear();
    } finally {
      lock.unlock();
    }
    messages.forEach((primary, message) -> messaging.post(gridTag, primary, message));
  }

  /** Handles a writer's acknowledgements. */
  public void onAck(Member from, Acknowledgement acknowledgement) {
    for (SegmentIndex applied : acknowledgement.applied()) {
      Replica replica = replicas.find(applied.cache(), applied.segment());
      if (replica != null && replica.onAck(from, applied.epoch(), applied.index())) {
        replica.performEffects();
        commitNotifier.notifySoon();
      }
    }
  }

  /**
   * Tells a waiter, exactly once, that an index of an epoch is committed or that it never will be.
   * If the index is not committed yet, requests acknowledgements from the other writers.
   */
  public void whenCommitted(Replica replica, int epoch, long index, CommitWaiter waiter) {
    if (replica.whenCommitted(epoch, index, waiter)) {
      AcknowledgementRequest request = new AcknowledgementRequest(replica.segmentEpoch(epoch));
      replica.state().others().forEach(other -> messaging.post(other, request));
    }
  }

  /** Answers a primary's request for an acknowledgement at once. */
  public void onAckRequest(Member from, AcknowledgementRequest request) {
    int epoch = request.segment().epoch();
    Replica replica = replicas.find(request.segment().cache(), request.segment().segment());
    long applied = replica == null ? -1 : replica.appliedAsWriter(epoch);
    if (replica != null && applied >= 0) {
      messaging.post(from, new Acknowledgement(List.of(replica.segmentIndex(epoch, applied))));
    }
  }
}
