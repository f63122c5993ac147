package io.cantle.core.operation;

import io.cantle.core.replica.PrimaryInitiatedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaRole;
import io.cantle.core.replica.ReplicationBatch;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Evicts what caches hold beyond their bounds. The primary does so by writes of its own, right
 * after a write of a caller that made a segment exceed its share. When a topology makes shares
 * smaller, a timer does it, which runs while some segment of this primary holds too much.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class EntryEvictor {
  private static final long SWEEP_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ReplicaContext context;
  private final EntryExpirer expirer;
  private final AtomicBoolean sweepScheduled = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * Creates an evictor for the entries of these replicas.
   *
   * @param expirer sends writes that a primary makes by itself
   */
  public EntryEvictor(ReplicaContext context, EntryExpirer expirer) {
    this.context = context;
    this.expirer = expirer;
  }

  /** Evicts what a segment holds beyond its share, if this node is its primary. */
  void evictExcess(Replica replica) {
    while (replica.eviction().isDue()) {
      List<PrimaryInitiatedWrite> evictions = replica.eviction().writeEvictions();
      if (evictions.isEmpty()) {
        return;
      }
      expirer.replicate(replica, evictions);
    }
  }

  /**
   * Evicts as {@link #evictExcess} does, and adds the writes to what is sent to the other writers.
   * The caller sends it, and performs the effects of the replica then.
   */
  void addEvictions(Replica replica, Map<Member, List<ReplicationBatch.SegmentWrite>> batches) {
    for (PrimaryInitiatedWrite eviction : replica.eviction().writeEvictions()) {
      EntryExpirer.addTo(batches, replica, eviction);
    }
  }

  /** Evicts what segments hold beyond the shares that a topology gives them. */
  public void onTopologyAdopted() {
    if (context.replicas().all().stream().anyMatch(replica -> replica.eviction().isDue())) {
      scheduleSweep();
    }
  }

  private void scheduleSweep() {
    if (!sweepScheduled.get() && sweepScheduled.compareAndSet(false, true)) {
      context.environment().clock().schedule(SWEEP_INTERVAL_NANOS, this::sweep);
    }
  }

  /** Evicts nothing more. */
  public void close() {
    closed = true;
  }

  private void sweep() {
    sweepScheduled.set(false);
    if (closed) {
      return;
    }
    for (Replica replica : context.replicas().all()) {
      evictExcess(replica);
      // A primary that does not serve its epoch yet will. A backup leaves it to the primary.
      if (replica.state().role() == ReplicaRole.PRIMARY && replica.eviction().isDue()) {
        scheduleSweep();
      }
    }
  }
}
