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
 * Reports to the voters the segments of which this node counts as an owner but holds no replica. A
 * node that has dropped its replica must never be an owner again. If a topology names it by
 * mistake, the segment has one owner fewer, or is lost, and is never silently empty. A joiner of a
 * lost segment is asked, and reports unless it holds everything.
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

  /** Creates a reporter with nothing to report. */
  public DroppedReplicaReporter(TopologyDriver topologyDriver, Clock clock) {
    this.topologyDriver = topologyDriver;
    this.clock = clock;
  }

  /** Checks the replicas that have entered other epochs. */
  public void onEpochsEntered(List<ReplicaTable.ReplicaChange> changed) {
    for (ReplicaTable.ReplicaChange change : changed) {
      Replica replica = change.replica();
      int epoch = change.ownership().epoch();
      if (replica.hasDroppedOwnedCopy(epoch)) {
        if (replica.state().role() == ReplicaRole.NONE) {
          LOG.log(
              System.Logger.Level.ERROR,
              "this node should hold segment {0} of cache number {1} in epoch {2}, but has dropped"
                  + " its replica: it does not serve the segment, and reports this to the voters",
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

  /** Stops reporting. */
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
