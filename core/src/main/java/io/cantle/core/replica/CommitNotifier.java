package io.cantle.core.replica;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
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
    TreeMap<Member, Output> bodies = new TreeMap<>();
    TreeMap<Member, Integer> counts = new TreeMap<>();
    for (Replica[] cache : replicas.all()) {
      for (Replica replica : cache) {
        ReplicaState state = replica.state();
        long committed = state.isActivePrimary() ? replica.announceCommitIfNew() : -1;
        if (committed >= 0) {
          for (Member other : state.others()) {
            Output body = bodies.computeIfAbsent(other, member -> new Output(256));
            body.writeVarint(replica.cache());
            body.writeVarint(replica.segment());
            body.writeVarint(state.epoch());
            body.writeVarint(committed);
            counts.merge(other, 1, Integer::sum);
          }
        }
      }
    }
    bodies.forEach(
        (member, body) -> {
          Output message = messaging.newMessage(MessageKind.COMMITTED, 0, body.position() + 8);
          message.writeVarint(counts.getOrDefault(member, 0));
          message.write(body.array(), 0, body.position());
          messaging.post(member, message);
        });
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
    TreeMap<Member, Output> messages = new TreeMap<>();
    for (Replica[] cache : replicas.all()) {
      for (Replica replica : cache) {
        if (replica.hasUncertainWrites() && replica.cache() < topology.caches().size()) {
          SegmentOwnership ownership = topology.ownership(replica.cache(), replica.segment());
          if (!ownership.isUnowned()) {
            Output out =
                messages.computeIfAbsent(
                    ownership.primary(),
                    member -> messaging.newMessage(MessageKind.COMMITTED_REQUEST));
            out.writeVarint(replica.cache());
            out.writeVarint(replica.segment());
            out.writeVarint(replica.state().epoch());
          }
        }
      }
    }
    messages.forEach(messaging::post);
    if (topology.members().size() > 1) {
      startQuerying();
    }
  }

  /** Answers a query about which writes are committed. */
  public void onCommitQuery(Member from, Input in) {
    Output body = new Output(256);
    int count = 0;
    while (in.remaining() > 0) {
      int cache = in.readCount(Integer.MAX_VALUE);
      int segment = in.readCount(Integer.MAX_VALUE);
      int epoch = in.readCount(Integer.MAX_VALUE);
      Replica replica = replicas.find(cache, segment);
      long committed = replica == null ? -1 : replica.committedAsPrimary(epoch);
      if (committed >= 0) {
        body.writeVarint(cache);
        body.writeVarint(segment);
        body.writeVarint(epoch);
        body.writeVarint(committed);
        count++;
      }
    }
    if (count > 0) {
      Output message = messaging.newMessage(MessageKind.COMMITTED, 0, body.position() + 8);
      message.writeVarint(count);
      message.write(body.array(), 0, body.position());
      messaging.post(from, message);
    }
  }

  /** Applies a primary's notice. */
  public void onCommitNotice(Input in) {
    int count = in.readCount(in.remaining());
    for (int i = 0; i < count; i++) {
      Replica replica =
          replicas.find(in.readCount(Integer.MAX_VALUE), in.readCount(Integer.MAX_VALUE));
      int epoch = in.readCount(Integer.MAX_VALUE);
      long committed = in.readVarint();
      if (replica != null) {
        replica.applyReplicated(epoch, committed, List.of());
      }
    }
  }
}
