package io.cantle.core.rebalance;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Clock;
import io.cantle.core.replica.Replica;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.ObjIntConsumer;

/**
 * Reports something about replicas to the voters, and repeats it as long as it holds: a report may
 * be lost.
 *
 * <p><b>Threading:</b> any thread. Reports run without the monitor, on the thread of the clock,
 * because this node may be a voter.
 */
final class RepeatedReport {
  private final Clock clock;
  private final long intervalNanos;
  private final BiPredicate<Replica, Integer> holds;
  private final ObjIntConsumer<Replica> report;

  @GuardedBy("this")
  private final Map<Replica, Integer> epochs = new LinkedHashMap<>();

  @GuardedBy("this")
  private boolean isScheduled;

  private volatile boolean closed;

  /**
   * Creates a report about no replica.
   *
   * @param holds whether a replica is still to be reported in an epoch
   */
  RepeatedReport(
      Clock clock,
      long intervalNanos,
      BiPredicate<Replica, Integer> holds,
      ObjIntConsumer<Replica> report) {
    this.clock = clock;
    this.intervalNanos = intervalNanos;
    this.holds = holds;
    this.report = report;
  }

  /** Reports a replica in an epoch at once, and from now on. */
  synchronized void add(Replica replica, int epoch) {
    // What is on disk may be said of an earlier epoch after a later one.
    epochs.merge(replica, epoch, Math::max);
    clock.schedule(0, () -> reportOne(replica, epoch));
    scheduleRepetition();
  }

  @GuardedBy("this")
  private void scheduleRepetition() {
    epochs.entrySet().removeIf(entry -> !holds.test(entry.getKey(), entry.getValue()));
    if (!closed && !isScheduled && !epochs.isEmpty()) {
      isScheduled = true;
      clock.schedule(intervalNanos, this::repeat);
    }
  }

  private void repeat() {
    Map<Replica, Integer> all;
    synchronized (this) {
      isScheduled = false;
      scheduleRepetition();
      all = new LinkedHashMap<>(epochs);
    }
    all.forEach(this::reportOne);
  }

  private void reportOne(Replica replica, int epoch) {
    if (!closed && holds.test(replica, epoch)) {
      report.accept(replica, epoch);
    }
  }

  /** Stops reporting. */
  synchronized void close() {
    closed = true;
    epochs.clear();
  }
}
