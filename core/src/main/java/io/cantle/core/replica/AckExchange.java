package io.cantle.core.replica;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges acknowledgements: it tells primaries how far the other writers have applied writes.
 * Usually the writers answer the origin of a write themselves, so the primary waits for nothing and
 * an acknowledgement may be delayed briefly and batched with others. A caller that cannot wait,
 * such as a reader of an uncommitted entry, has the primary request acknowledgements at once.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Nothing waits.
 */
public final class AckExchange {
  private static final long ACK_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final MessagingService messaging;
  private final Environment environment;
  private final ReplicaTable replicas;
  private final CommitNotifier commitNotifier;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Member, Map<Replica, Ack>> pendingAcks = new TreeMap<>();
  private boolean scheduled;

  private record Ack(int epoch, long applied) {
    Ack latest(Ack other) {
      boolean isLater = epoch > other.epoch || (epoch == other.epoch && applied > other.applied);
      return isLater ? this : other;
    }
  }

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
      pendingAcks
          .computeIfAbsent(primary, member -> new LinkedHashMap<>())
          .merge(replica, new Ack(epoch, applied), Ack::latest);
      if (!scheduled) {
        scheduled = true;
        environment.clock().schedule(ACK_DELAY_NANOS, this::sendPendingAcks);
      }
    } finally {
      lock.unlock();
    }
  }

  private void sendPendingAcks() {
    Map<Member, Output> messages = new TreeMap<>();
    lock.lock();
    try {
      scheduled = false;
      pendingAcks.forEach(
          (primary, acks) -> {
            Output out = messaging.newMessage(MessageKind.ACK, 0, acks.size() * 8);
            acks.forEach((replica, ack) -> writeAck(out, replica, ack.epoch, ack.applied));
            messages.put(primary, out);
          });
      pendingAcks.clear();
    } finally {
      lock.unlock();
    }
    messages.forEach(messaging::post);
  }

  /** Writes how far a replica has applied writes. */
  public static void writeAck(Output out, Replica replica, int epoch, long applied) {
    out.writeVarint(replica.cache());
    out.writeVarint(replica.segment());
    out.writeVarint(epoch);
    out.writeVarint(applied);
  }

  /** Handles a writer's acknowledgements. */
  public void onAck(Member from, Input in) {
    while (in.remaining() > 0) {
      Replica replica = readReplica(in);
      int epoch = in.readCount(Integer.MAX_VALUE);
      long applied = in.readVarint();
      if (replica != null && replica.onAck(from, epoch, applied)) {
        commitNotifier.notifySoon();
      }
    }
  }

  /**
   * Runs exactly one of two tasks: {@code onCommitted} once an index of an epoch is committed, or
   * {@code onRefused} when it never will be. If the index is not committed yet, requests
   * acknowledgements from the other writers.
   */
  public void whenCommitted(
      Replica replica, int epoch, long index, Runnable onCommitted, Runnable onRefused) {
    if (replica.whenCommitted(epoch, index, onCommitted, onRefused)) {
      for (Member other : replica.state().others()) {
        Output out = messaging.newMessage(MessageKind.ACK_REQUEST);
        out.writeVarint(replica.cache());
        out.writeVarint(replica.segment());
        out.writeVarint(epoch);
        messaging.post(other, out);
      }
    }
  }

  /** Answers a primary's request for an acknowledgement at once. */
  public void onAckRequest(Member from, Input in) {
    Replica replica = readReplica(in);
    int epoch = in.readCount(Integer.MAX_VALUE);
    long applied = replica == null ? -1 : replica.appliedAsWriter(epoch);
    if (replica != null && applied >= 0) {
      Output out = messaging.newMessage(MessageKind.ACK);
      writeAck(out, replica, epoch, applied);
      messaging.post(from, out);
    }
  }

  private @Nullable Replica readReplica(Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    return replicas.find(cache, in.readCount(Integer.MAX_VALUE));
  }
}
