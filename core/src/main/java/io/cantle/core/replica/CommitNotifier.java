package io.cantle.core.replica;

import io.cantle.core.base.Environment;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ReplicationMessage.CommitNotice;
import io.cantle.core.wire.ReplicationMessage.CommitQuery;
import io.cantle.core.wire.SegmentIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Broadcasts the commit index to backups when no further write carries it to them. Backups need it
 * to answer reads themselves and to discard their uncommitted writes.
 *
 * <p><b>Threading:</b> any thread; never waits.
 */
public final class CommitNotifier {
  private static final long NOTIFY_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long QUERY_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final MessagingService messaging;
  private final Environment environment;
  private final ReplicaTable replicas;
  private final AtomicBoolean notifyScheduled = new AtomicBoolean();
  private final AtomicBoolean queryScheduled = new AtomicBoolean();
  private final TopologyDriver topologyDriver;
  private volatile boolean closed;

  /** Creates a notifier for the replicas of this table. */
  public CommitNotifier(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      Environment environment,
      ReplicaTable replicas) {
    this.topologyDriver = topologyDriver;
    this.messaging = messaging;
    this.environment = environment;
    this.replicas = replicas;
  }

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
    for (Replica[] cache : replicas.all()) {
      for (Replica replica : cache) {
        ReplicaState state = replica.state();
        long committed = state.isActivePrimary() ? replica.announceCommitIfNew() : -1;
        if (committed >= 0) {
          SegmentIndex index = replica.segmentIndex(state.epoch(), committed);
          for (Member other : state.others()) {
            notices.computeIfAbsent(other, member -> new ArrayList<>()).add(index);
          }
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
    for (Replica[] cache : replicas.all()) {
      for (Replica replica : cache) {
        if (replica.hasUncertainWrites() && replica.cache() < topology.caches().size()) {
          SegmentOwnership ownership = topology.ownership(replica.cache(), replica.segment());
          if (!ownership.isUnowned()) {
            queries
                .computeIfAbsent(ownership.primary(), member -> new ArrayList<>())
                .add(replica.segmentEpoch(replica.state().epoch()));
          }
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
      long index = replica == null ? -1 : replica.committedAsPrimary(asked.epoch());
      if (replica != null && index >= 0) {
        committed.add(replica.segmentIndex(asked.epoch(), index));
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
}
