package io.cantle.simulation;

import io.cantle.GridException;
import io.cantle.MergeLosses;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a grid that stays available when it is cut. There linearizability is not promised
 * across sides; what is: that a key only one client ever writes holds, once all is merged, what
 * that client was told is written, or what it wrote later; if it was removed last, it stays so. So
 * each client has a key of its own. Nobody may be refused for a lost segment or a missing majority.
 *
 * <p><b>What may be lost.</b> A write that the last node which kept it took along, be that an owner
 * on any side, or one that had yet to bring it to the others: on a side of its own a node has no
 * backup. So whenever one dies it is looked who else keeps what it kept, and what nobody does is
 * forgiven. The same goes for one that leaves when all others of its side leave as well, or there
 * are none: it has nobody to hand over to. Whatever one living node keeps must be there in the end.
 *
 * <p>On a few keys all write. There one of two values is lost when sides merge, and each must be
 * counted, see {@link SharedKeys}.
 *
 * <p><b>Threading:</b> the carrier of its seed, many simulated threads.
 */
final class SoleWriters {
  private static final long BACK_OFF_NANOS = 300_000_000L;
  private static final int SHARED_KEYS = 3;
  private static final int SHARED_ONE_IN = 4;
  private static final int REMOVE_ONE_IN = 5;

  private final Scenario scenario;
  private final Workload workload;
  private final Supplier<List<Station>> stations;
  private final Sole[] keys;
  private final SharedKeys shared = new SharedKeys();
  private int owned;
  private int gone;

  /** What is known of a key with one writer. */
  private static final class Sole {
    /** The number of the last write that was acknowledged, 0 for none. */
    long acknowledged;

    boolean removed;

    /** The number of the last removal that may have happened or not. */
    long openRemoval;

    /** The value that was acknowledged, if it was one, and all tried since. */
    final Set<ByteBuffer> values = new HashSet<>();

    /** Of a removal that was acknowledged: when it was made. */
    long removedAt;

    /** Whether all that kept it are gone. */
    boolean forgiven;

    /**
     * Whether a copy is as late as what was acknowledged. A tombstone may be that of an earlier
     * removal, which a side still has that is yet to be merged.
     */
    boolean isIn(Insight.Kept copy) {
      if (!copy.tombstone()) {
        return values.contains(copy.value());
      }
      return removed ? copy.stamp() >= removedAt : openRemoval > acknowledged;
    }

    boolean mayHold(long found) {
      if (forgiven) {
        return true;
      }
      if (found == Operation.ABSENT) {
        return removed || acknowledged == 0 || openRemoval > acknowledged;
      }
      // The numbers of a key only grow: a later one had no answer.
      return removed ? found > acknowledged : found >= acknowledged;
    }

    @Override
    public String toString() {
      return (removed ? "the removal " : "") + acknowledged;
    }
  }

  /**
   * @param stations every node there ever was
   */
  SoleWriters(Scenario scenario, Workload workload, Supplier<List<Station>> stations) {
    this.scenario = scenario;
    this.workload = workload;
    this.stations = stations;
    this.keys = new Sole[scenario.keys()];
    for (int key = 0; key < keys.length; key++) {
      keys[key] = new Sole();
    }
  }

  /** The stable keys are written: by nobody later. */
  void loaded() {
    for (int key = 0; key < scenario.stableKeys(); key++) {
      keys[key].acknowledged = Deliveries.stableValue(key);
      keys[key].values.add(
          stations.get().getFirst().peer().insight().valueOf(key, keys[key].acknowledged));
    }
  }

  /** What anybody alive keeps of a key, but for one. */
  private List<Insight.Kept> kept(int key, @Nullable Station but) {
    return stations.get().stream()
        .filter(station -> station.host().alive() && !station.equals(but))
        .flatMap(station -> station.peer().insight().kept(key).stream())
        .toList();
  }

  /** A node dies, or has left: what nobody else keeps is lost. */
  void gone(Station station) {
    gone++;
    boolean handedOver =
        station.closed()
            && !station.peer().insight().members().contains(station.transport().member().id());
    for (int key = 0; key < keys.length; key++) {
      Sole sole = keys[key];
      if (!handedOver && kept(key, station).stream().noneMatch(sole::isIn)) {
        sole.forgiven = true;
      }
    }
  }

  /** Writes a key of its own, if one is left, and those of all, until the workload stops. */
  void work(String name, Station station, SplittableRandom random) {
    int first = scenario.stableKeys();
    int own = first + SHARED_KEYS + owned++;
    while (workload.isOpen() && station.state() == Station.State.STEADY) {
      rest(station, 1 + random.nextLong(scenario.thinkNanos()));
      boolean mustSucceed = workload.expectsSuccess();
      boolean onShared = own >= scenario.keys() || random.nextInt(SHARED_ONE_IN) == 0;
      int key = onShared ? first + random.nextInt(SHARED_KEYS) : own;
      boolean removes = !onShared && random.nextInt(REMOVE_ONE_IN) == 0;
      long number = workload.nextValue();
      EventKind end = EventKind.RETURN;
      String what = name + (removes ? " removes k" : " writes k") + key;
      workload.log().record(EventKind.CALL, station.host(), number, () -> what);
      try {
        if (onShared) {
          shared.began(key, number);
          long before = station.peer().call(Operation.put(key, number));
          endWithHost(station);
          shared.done(key, number, before);
        } else {
          writeOwn(station, key, number, removes);
        }
        station.peer().call(Operation.get(key));
      } catch (SegmentLostException | NotAvailableException e) {
        if (mustSucceed || !isForWantOfCapacity(e)) {
          workload.violation(name + " was refused in a grid that stays available: " + e);
        }
        end = EventKind.FAILURE;
        rest(station, 1 + random.nextLong(BACK_OFF_NANOS));
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
      workload.log().record(end, station.host(), number, () -> what + " ended");
    }
  }

  /** Of those that are cut off together none may hold anything: they can only wait. */
  private boolean isForWantOfCapacity(GridException e) {
    return scenario.seated() && String.valueOf(e.getMessage()).contains("has capacity for entries");
  }

  private void writeOwn(Station station, int key, long number, boolean removes) {
    Sole sole = keys[key];
    ByteBuffer value = station.peer().insight().valueOf(key, number);
    int goneBefore = gone;
    if (removes) {
      sole.openRemoval = number;
    } else {
      sole.values.add(value);
    }
    long found = station.peer().call(removes ? Operation.remove(key) : Operation.put(key, number));
    endWithHost(station);
    if (removes && found == Operation.ABSENT) {
      // Perhaps the segment has begun empty: then there was nothing to remove.
      return;
    }
    sole.acknowledged = number;
    sole.removed = removes;
    sole.values.clear();
    if (!removes) {
      sole.values.add(value);
    }
    List<Insight.Kept> kept = kept(key, null);
    sole.removedAt =
        kept.stream()
            .filter(Insight.Kept::tombstone)
            .mapToLong(Insight.Kept::stamp)
            .max()
            .orElse(Long.MAX_VALUE);
    // Who answered may have died before the answer was here.
    sole.forgiven = kept.stream().noneMatch(sole::isIn);
    if (sole.forgiven && gone == goneBefore) {
      workload.violation(
          "number " + number + " of k" + key + " was acknowledged, and nobody keeps it");
    }
  }

  /** A thread whose host has died in the middle of its step goes no further. */
  private void endWithHost(Station station) {
    while (!station.host().alive()) {
      LockSupport.park(this);
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
    for (int key = 0; key < scenario.keys(); key++) {
      long found = station.peer().call(Operation.get(key));
      if (shared.has(key)) {
        shared.found(key, found);
      } else if (!keys[key].mayHold(found)) {
        workload.violation(
            name
                + ": k"
                + key
                + " holds "
                + found
                + " after the merge; "
                + keys[key]
                + " was acknowledged and nobody else writes it");
      }
    }
  }

  /** Checks that what was lost is counted, where nobody took anything along uncounted. */
  void checkLosses() {
    MergeLosses losses =
        stations.get().stream()
            .map(station -> station.peer().mergeLosses())
            .reduce(MergeLosses.NONE, MergeLosses::plus);
    long counted = losses.overwritten() + losses.removed();
    long missing = shared.missing();
    if (gone == 0 && missing > counted) {
      workload.violation(
          missing + " acknowledged values of shared keys are lost, and " + losses + " are counted");
    }
  }
}
