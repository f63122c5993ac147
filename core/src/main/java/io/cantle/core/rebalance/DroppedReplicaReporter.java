package io.cantle.core.rebalance;

import io.cantle.core.base.Clock;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaRole;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.TopologyDriver;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reports to the voters the segments of which this node counts as an owner but holds no replica. A
 * node that has dropped its replica must never be an owner again. If a topology names it by
 * mistake, the segment has one owner fewer, or is lost, and is never silently empty. A joiner of a
 * lost segment is asked, and reports unless it holds everything.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class DroppedReplicaReporter {
  private static final System.Logger LOG = System.getLogger(DroppedReplicaReporter.class.getName());
  private static final long REPORT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RepeatedReport report;

  /** Creates a reporter with nothing to report. */
  public DroppedReplicaReporter(TopologyDriver topologyDriver, Clock clock) {
    this.report =
        new RepeatedReport(
            clock,
            REPORT_INTERVAL_NANOS,
            Replica::hasDroppedOwnedCopy,
            (replica, epoch) ->
                topologyDriver.reportDropped(replica.cache(), replica.segment(), epoch));
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
        report.add(replica, epoch);
      }
    }
  }

  /** Stops reporting. */
  public void close() {
    report.close();
  }
}
