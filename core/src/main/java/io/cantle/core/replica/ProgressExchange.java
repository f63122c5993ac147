package io.cantle.core.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Environment;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ReplicationMessage.Acknowledgement;
import io.cantle.core.wire.ReplicationMessage.AcknowledgementRequest;
import io.cantle.core.wire.ReplicationMessage.CommitNotice;
import io.cantle.core.wire.ReplicationMessage.CommitQuery;
import io.cantle.core.wire.SegmentIndex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Exchanges how far writes have come between a primary and the other writers.
 *
 * <p><b>Acknowledgements.</b> The other writers tell the primary how far they have applied writes.
 * Usually they answer the origin of a write themselves, so the primary waits for nothing and an
 * acknowledgement may be delayed briefly and batched with others. A caller that cannot wait, such
 * as a reader of an uncommitted entry, has the primary request acknowledgements at once.
 *
 * <p><b>Commit notices.</b> The primary tells backups the commit index when no further write
 * carries it to them. They need it to answer reads themselves and to discard their uncommitted
 * writes.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class ProgressExchange {
  private static final long ACK_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long NOTIFY_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long QUERY_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final Environment environment;
  private final ReplicaTable replicas;

  @GuardedBy("this")
  private final Map<Member, Map<Replica, SegmentIndex>> pendingAcks = new TreeMap<>();

  @GuardedBy("this")
  private boolean ackScheduled;

  /** The grid that the pending acknowledgements are about; epochs of another have other writes. */
  @GuardedBy("this")
  private long pendingGridTag;

  private final AtomicBoolean notifyScheduled = new AtomicBoolean();
  private final AtomicBoolean queryScheduled = new AtomicBoolean();
  private volatile boolean closed;

  /** Creates an exchange for the replicas of this table. */
  public ProgressExchange(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      Environment environment,
      ReplicaTable replicas) {
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.environment = environment;
    this.replicas = replicas;
  }

  // ------------------------------------------------------------------ acknowledgements

  /**
   * Acknowledges to a primary after a short delay, unless this node has left the grid by then.
   *
   * @param gridTag the {@link MessagingService#gridTag} when the writes were received
   */
  public synchronized void acknowledgeSoon(
      long gridTag, Member primary, Replica replica, int epoch, long applied) {
    if (gridTag != messaging.gridTag()) {
      return;
    }
    if (pendingGridTag != gridTag) {
      pendingGridTag = gridTag;
      pendingAcks.clear();
    }
    pendingAcks
        .computeIfAbsent(primary, member -> new LinkedHashMap<>())
        .merge(replica, indexOf(replica, epoch, applied), SegmentIndex::latest);
    if (!ackScheduled) {
      ackScheduled = true;
      environment.clock().schedule(ACK_DELAY_NANOS, this::sendPendingAcks);
    }
  }

  private void sendPendingAcks() {
    Map<Member, Acknowledgement> messages = new TreeMap<>();
    long gridTag;
    synchronized (this) {
      ackScheduled = false;
      gridTag = pendingGridTag;
      pendingAcks.forEach(
          (primary, acks) ->
              messages.put(primary, new Acknowledgement(List.copyOf(acks.values()))));
      pendingAcks.clear();
    }
    if (gridTag == messaging.gridTag()) {
      messages.forEach((primary, message) -> messaging.post(gridTag, primary, message));
    }
  }

  /** Handles a writer's acknowledgements. */
  public void onAck(Member from, Acknowledgement acknowledgement) {
    for (SegmentIndex applied : acknowledgement.applied()) {
      Replica replica = replicas.find(applied.cache(), applied.segment());
      if (replica != null && replica.onAck(from, applied.epoch(), applied.index())) {
        replica.performEffects();
        notifySoon();
      }
    }
  }

  /**
   * Tells a listener, exactly once, that an index of an epoch is committed or that it never will
   * be. If the index is not committed yet, requests acknowledgements from the other writers.
   */
  public void notifyOnceCommitted(Replica replica, int epoch, long index, CommitListener listener) {
    if (replica.notifyOnceCommitted(epoch, index, listener)) {
      AcknowledgementRequest request = new AcknowledgementRequest(replica.segmentEpoch(epoch));
      replica.progress().awaitedWriters().forEach(other -> messaging.post(other, request));
    } else {
      replica.performEffects();
    }
  }

  /** Answers a primary's request for an acknowledgement at once. */
  public void onAckRequest(Member from, AcknowledgementRequest request) {
    int epoch = request.segment().epoch();
    Replica replica = replicas.find(request.segment().cache(), request.segment().segment());
    long applied = replica == null ? -1 : replica.progress().appliedAsWriter(epoch);
    if (replica != null && applied >= 0) {
      messaging.post(from, new Acknowledgement(List.of(indexOf(replica, epoch, applied))));
    }
  }

  // ------------------------------------------------------------------ commit notices

  /** Schedules a notice after something was written or an epoch was served. */
  public void notifySoon() {
    if (!notifyScheduled.get() && notifyScheduled.compareAndSet(false, true)) {
      environment.clock().schedule(NOTIFY_DELAY_NANOS, this::notifyBackups);
    }
  }

  /** Stops sending notices. */
  public void close() {
    closed = true;
  }

  private void notifyBackups() {
    if (closed) {
      return;
    }
    notifyScheduled.set(false);
    TreeMap<Member, List<SegmentIndex>> notices = new TreeMap<>();
    for (Replica replica : replicas.all()) {
      ReplicaState state = replica.state();
      long committed = state.isActivePrimary() ? replica.progress().announceCommitIfNew() : -1;
      if (committed >= 0) {
        SegmentIndex index = indexOf(replica, state.epoch(), committed);
        for (Member other : state.others()) {
          notices.computeIfAbsent(other, member -> new ArrayList<>()).add(index);
        }
      }
    }
    notices.forEach((member, committed) -> messaging.post(member, new CommitNotice(committed)));
  }

  /**
   * Periodically asks the primaries about writes whose outcome is unknown here, since a notice may
   * be lost.
   */
  public void startQuerying() {
    if (!queryScheduled.get() && queryScheduled.compareAndSet(false, true)) {
      environment.clock().schedule(QUERY_DELAY_NANOS, this::queryPrimaries);
    }
  }

  private void queryPrimaries() {
    queryScheduled.set(false);
    if (closed) {
      return;
    }
    Topology topology = topologyDriver.current();
    TreeMap<Member, List<SegmentEpoch>> queries = new TreeMap<>();
    for (Replica replica : replicas.all()) {
      if (replica.progress().hasUncertainWrites()) {
        SegmentOwnership ownership = topology.findOwnership(replica.cache(), replica.segment());
        if (ownership != null && !ownership.isUnowned()) {
          queries
              .computeIfAbsent(ownership.primary(), member -> new ArrayList<>())
              .add(replica.segmentEpoch(replica.state().epoch()));
        }
      }
    }
    queries.forEach((member, segments) -> messaging.post(member, new CommitQuery(segments)));
    if (topology.members().size() > 1) {
      startQuerying();
    }
  }

  /** Answers a query about which writes are committed. */
  public void onCommitQuery(Member from, CommitQuery query) {
    List<SegmentIndex> committed = new ArrayList<>();
    for (SegmentEpoch asked : query.segments()) {
      Replica replica = replicas.find(asked.cache(), asked.segment());
      long index = replica == null ? -1 : replica.progress().committedAsPrimary(asked.epoch());
      if (replica != null && index >= 0) {
        committed.add(indexOf(replica, asked.epoch(), index));
      }
    }
    if (!committed.isEmpty()) {
      messaging.post(from, new CommitNotice(committed));
    }
  }

  /** Applies a primary's notice. */
  public void onCommitNotice(CommitNotice notice) {
    for (SegmentIndex committed : notice.committed()) {
      Replica replica = replicas.find(committed.cache(), committed.segment());
      if (replica != null) {
        replica.applyCommitIndex(committed.epoch(), committed.index());
        replica.performEffects();
      }
    }
  }

  private static SegmentIndex indexOf(Replica replica, int epoch, long index) {
    return new SegmentIndex(replica.cache(), replica.segment(), epoch, index);
  }
}
