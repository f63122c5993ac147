package io.cantle.core.rebalance;

import io.cantle.core.base.Clock;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaRole;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.TopologyDriver;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells the voters of segments this node counts as a holder of and is none. An owner that has
 * dropped its copy is never to be; but should a topology say so by mistake, the segment is an
 * owner's fewer, or lost, and never empty without a word. A joiner of a segment that is lost is
 * asked: it says so unless it holds everything.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Nothing waits.
 */
public final class DroppedReplicaReporter {
  private static final System.Logger LOG = System.getLogger(DroppedReplicaReporter.class.getName());
  private static final long REPORT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TopologyDriver topologyDriver;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Replica, Integer> droppedEpochs = new LinkedHashMap<>();
  private boolean reportScheduled;
  private boolean closed;

  /** None yet. */
  public DroppedReplicaReporter(TopologyDriver topologyDriver, Clock clock) {
    this.topologyDriver = topologyDriver;
    this.clock = clock;
  }

  /** Replicas have entered other epochs. */
  public void onEpochsEntered(List<ReplicaTable.ReplicaChange> changed) {
    for (ReplicaTable.ReplicaChange change : changed) {
      Replica replica = change.replica();
      int epoch = change.ownership().epoch();
      if (replica.hasDroppedOwnedCopy(epoch)) {
        if (replica.state().role() == ReplicaRole.NONE) {
          LOG.log(
              System.Logger.Level.ERROR,
              "this node should hold segment {0} of cache number {1} in epoch {2}, and has dropped"
                  + " its copy: it serves nothing of it, and says so to those that decide",
              replica.segment(),
              replica.cache(),
              epoch);
        }
        lock.lock();
        try {
          if (!closed) {
            droppedEpochs.put(replica, epoch);
          }
        } finally {
          lock.unlock();
        }
        clock.schedule(0, this::reportDropped);
      }
    }
  }

  /** Tells nothing more. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      droppedEpochs.clear();
    } finally {
      lock.unlock();
    }
  }

  private void reportDropped() {
    List<Replica> reported;
    lock.lock();
    try {
      droppedEpochs
          .entrySet()
          .removeIf(entry -> !entry.getKey().hasDroppedOwnedCopy(entry.getValue()));
      reported = List.copyOf(droppedEpochs.keySet());
      if (!reported.isEmpty() && !reportScheduled) {
        reportScheduled = true;
        clock.schedule(REPORT_INTERVAL_NANOS, this::reportAgain);
      }
    } finally {
      lock.unlock();
    }
    for (Replica replica : reported) {
      topologyDriver.reportDropped(replica.cache(), replica.segment(), replica.state().epoch());
    }
  }

  private void reportAgain() {
    lock.lock();
    try {
      reportScheduled = false;
    } finally {
      lock.unlock();
    }
    reportDropped();
  }
}
