package io.cantle.simulation;

import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import java.util.SplittableRandom;

/**
 * The clients of a grid that stays available when it is cut. There linearizability is not promised
 * across sides; what is: that a key only one client ever writes holds, once all is merged, the last
 * value that client was told is written, or one it wrote later. So each client has a key of its
 * own. Nobody may be refused for a lost segment or a missing majority.
 *
 * <p><b>Threading:</b> the carrier of its seed, many simulated threads.
 */
final class SoleWriters {
  private static final long BACK_OFF_NANOS = 300_000_000L;

  private final Scenario scenario;
  private final Workload workload;
  private final long[] acknowledged;
  private int owned;

  SoleWriters(Scenario scenario, Workload workload) {
    this.scenario = scenario;
    this.workload = workload;
    this.acknowledged = new long[scenario.keys()];
  }

  /** Writes a key of its own, if one is left, until the workload stops. */
  void work(String name, Station station, SplittableRandom random) {
    int key = scenario.stableKeys() + owned++;
    if (key >= scenario.keys()) {
      return;
    }
    while (workload.isOpen() && station.state() == Station.State.STEADY) {
      rest(station, 1 + random.nextLong(scenario.thinkNanos()));
      long value = workload.nextValue();
      boolean mustSucceed = workload.expectsSuccess();
      EventKind end = EventKind.RETURN;
      workload.log().record(EventKind.CALL, station.host(), value, () -> name + " writes k" + key);
      try {
        station.peer().call(Operation.put(key, value));
        acknowledged[key] = value;
        station.peer().call(Operation.get(key));
      } catch (SegmentLostException | NotAvailableException e) {
        workload.violation(name + " was refused in a grid that stays available: " + e);
      } catch (GridException e) {
        end = EventKind.INDETERMINATE;
        if (mustSucceed && station.state() == Station.State.STEADY) {
          workload.violation(name + " failed long after all faults: " + Stacks.of(e));
        }
        rest(station, 1 + random.nextLong(BACK_OFF_NANOS));
      } catch (IllegalStateException e) {
        if (station.state() == Station.State.STEADY) {
          throw e;
        }
        return;
      }
      workload.log().record(end, station.host(), value, () -> name + " wrote k" + key);
    }
  }

  private void rest(Station station, long nanos) {
    long until = workload.nowNanos() + nanos;
    while (workload.nowNanos() < until) {
      station.host().clock().parkNanos(this, until - workload.nowNanos());
    }
  }

  /** Reads everything at a node, once all is at rest. */
  void check(String name, Station station) {
    for (int key = 0; key < scenario.stableKeys() + Math.min(owned, scenario.keys()); key++) {
      if (key >= scenario.keys()) {
        return;
      }
      long found = station.peer().call(Operation.get(key));
      boolean right =
          key < scenario.stableKeys()
              ? found == Deliveries.stableValue(key)
              // The values of a key only grow: a later one had no answer.
              : found >= acknowledged[key];
      if (!right) {
        workload.violation(
            name
                + ": k"
                + key
                + " holds "
                + found
                + " after the merge; "
                + acknowledged[key]
                + " was acknowledged and nobody else writes it");
      }
    }
  }
}
