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
 * counted, see {@link LostUpdateChecker}.
 *
 * <p><b>Threading:</b> the carrier of its seed, many simulated threads.
 */
final class SoleWriterWorkload {
  private static final long BACKOFF_NANOS = 300_000_000L;
  private static final int SHARED_KEY_COUNT = 3;
  private static final int SHARED_ONE_IN = 4;
  private static final int REMOVE_ONE_IN = 5;

  private final SeedScenario scenario;
  private final ClientWorkload workload;
  private final Supplier<List<NodeSlot>> stations;
  private final SoleWrittenKey[] keys;
  private final LostUpdateChecker shared = new LostUpdateChecker();
  private int owned;
  private int gone;

  /** What is known of a key with one writer. */
  private static final class SoleWrittenKey {
    /** The number of the last write that was acknowledged, 0 for none. */
    long acknowledged;

    boolean removed;

    /** The number of the last removal that may have happened or not. */
    long unansweredRemoval;

    /** The value that was acknowledged, if it was one, and all tried since. */
    final Set<ByteBuffer> values = new HashSet<>();

    /** Of a removal that was acknowledged: when it was made. */
    long removedNanos;

    /** Whether all that kept it are gone. */
    boolean forgiven;

    /**
     * Whether a copy is as late as what was acknowledged. A tombstone may be that of an earlier
     * removal, which a side still has that is yet to be merged.
     */
    boolean isReflectedIn(NodeInspection.KeptValue copy) {
      if (!copy.tombstone()) {
        return values.contains(copy.value());
      }
      return removed ? copy.stamp() >= removedNanos : unansweredRemoval > acknowledged;
    }

    boolean mayHold(long found) {
      if (forgiven) {
        return true;
      }
      if (found == MapOperation.ABSENT) {
        return removed || acknowledged == 0 || unansweredRemoval > acknowledged;
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
  SoleWriterWorkload(
      SeedScenario scenario, ClientWorkload workload, Supplier<List<NodeSlot>> stations) {
    this.scenario = scenario;
    this.workload = workload;
    this.stations = stations;
    this.keys = new SoleWrittenKey[scenario.keyCount()];
    for (int key = 0; key < keys.length; key++) {
      keys[key] = new SoleWrittenKey();
    }
  }

  /** The stable keys are written: by nobody later. */
  void onLoaded() {
    for (int key = 0; key < scenario.stableKeys(); key++) {
      keys[key].acknowledged = DeliveryChecker.stableValue(key);
      keys[key].values.add(
          stations.get().getFirst().node().insight().valueOf(key, keys[key].acknowledged));
    }
  }

  /** What anybody alive keeps of a key, but for one. */
  private List<NodeInspection.KeptValue> isKeptElsewhere(int key, @Nullable NodeSlot but) {
    return stations.get().stream()
        .filter(slot -> slot.host().isAlive() && !slot.equals(but))
        .flatMap(slot -> slot.node().insight().keptValues(key).stream())
        .toList();
  }

  /** A node dies, or has left: what nobody else keeps is lost. */
  void onNodeGone(NodeSlot slot) {
    gone++;
    boolean handedOver =
        slot.isClosed()
            && !slot.node().insight().members().contains(slot.transport().member().id());
    for (int key = 0; key < keys.length; key++) {
      SoleWrittenKey sole = keys[key];
      if (!handedOver && isKeptElsewhere(key, slot).stream().noneMatch(sole::isReflectedIn)) {
        sole.forgiven = true;
      }
    }
  }

  /** Writes a key of its own, if one is left, and those of all, until the workload stops. */
  void runClient(String name, NodeSlot slot, SplittableRandom random) {
    int first = scenario.stableKeys();
    int own = first + SHARED_KEY_COUNT + owned++;
    while (workload.isOpen() && slot.state() == NodeSlot.State.STEADY) {
      restFor(slot, 1 + random.nextLong(scenario.thinkNanos()));
      boolean mustSucceed = workload.expectsSuccess();
      boolean onShared = own >= scenario.keyCount() || random.nextInt(SHARED_ONE_IN) == 0;
      int key = onShared ? first + random.nextInt(SHARED_KEY_COUNT) : own;
      boolean removes = !onShared && random.nextInt(REMOVE_ONE_IN) == 0;
      long number = workload.nextValue();
      EventKind end = EventKind.RETURN;
      String what = name + (removes ? " removes k" : " writes k") + key;
      workload.log().record(EventKind.CALL, slot.host(), number, () -> what);
      try {
        if (onShared) {
          shared.recordAttempt(key, number);
          long before = slot.node().call(MapOperation.put(key, number));
          endWithHost(slot);
          shared.recordAcknowledged(key, number, before);
        } else {
          writeOwn(slot, key, number, removes);
        }
        slot.node().call(MapOperation.get(key));
      } catch (SegmentLostException | NotAvailableException e) {
        if (mustSucceed || !isMissingCapacity(e)) {
          workload.reportViolation(name + " was refused in a grid that stays available: " + e);
        }
        end = EventKind.FAILURE;
        restFor(slot, 1 + random.nextLong(BACKOFF_NANOS));
      } catch (GridException e) {
        end = EventKind.INDETERMINATE;
        if (mustSucceed && slot.state() == NodeSlot.State.STEADY) {
          workload.reportViolation(
              name + " failed long after all faults: " + StackTraces.format(e));
        }
        restFor(slot, 1 + random.nextLong(BACKOFF_NANOS));
      } catch (IllegalStateException e) {
        if (slot.state() == NodeSlot.State.STEADY) {
          throw e;
        }
        return;
      }
      workload.log().record(end, slot.host(), number, () -> what + " ended");
    }
  }

  /** Of those that are cut off together none may hold anything: they can only wait. */
  private boolean isMissingCapacity(GridException e) {
    return scenario.hasCapacities()
        && String.valueOf(e.getMessage()).contains("has capacity for entries");
  }

  private void writeOwn(NodeSlot slot, int key, long number, boolean removes) {
    SoleWrittenKey sole = keys[key];
    ByteBuffer value = slot.node().insight().valueOf(key, number);
    int goneBefore = gone;
    if (removes) {
      sole.unansweredRemoval = number;
    } else {
      sole.values.add(value);
    }
    long found =
        slot.node().call(removes ? MapOperation.remove(key) : MapOperation.put(key, number));
    endWithHost(slot);
    if (removes && found == MapOperation.ABSENT) {
      // Perhaps the segment has begun empty: then there was nothing to remove.
      return;
    }
    sole.acknowledged = number;
    sole.removed = removes;
    sole.values.clear();
    if (!removes) {
      sole.values.add(value);
    }
    List<NodeInspection.KeptValue> kept = isKeptElsewhere(key, null);
    sole.removedNanos =
        kept.stream()
            .filter(NodeInspection.KeptValue::tombstone)
            .mapToLong(NodeInspection.KeptValue::stamp)
            .max()
            .orElse(Long.MAX_VALUE);
    // Who answered may have died before the answer was here.
    sole.forgiven = kept.stream().noneMatch(sole::isReflectedIn);
    if (sole.forgiven && gone == goneBefore) {
      workload.reportViolation(
          "number " + number + " of k" + key + " was acknowledged, and nobody keeps it");
    }
  }

  /** A thread whose host has died in the middle of its step goes no further. */
  private void endWithHost(NodeSlot slot) {
    while (!slot.host().isAlive()) {
      LockSupport.park(this);
    }
  }

  private void restFor(NodeSlot slot, long nanos) {
    long until = workload.nowNanos() + nanos;
    while (workload.nowNanos() < until) {
      slot.host().clock().parkNanos(this, until - workload.nowNanos());
    }
  }

  /** Reads everything at a node, once all is at rest. */
  void checkKey(String name, NodeSlot slot) {
    for (int key = 0; key < scenario.keyCount(); key++) {
      long found = slot.node().call(MapOperation.get(key));
      if (shared.isShared(key)) {
        shared.recordFound(key, found);
      } else if (!keys[key].mayHold(found)) {
        workload.reportViolation(
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
            .map(slot -> slot.node().mergeLossCount())
            .reduce(MergeLosses.NONE, MergeLosses::plus);
    long counted = losses.overwritten() + losses.removed();
    long missing = shared.missingValues();
    if (gone == 0 && missing > counted) {
      workload.reportViolation(
          missing + " acknowledged values of shared keys are lost, and " + losses + " are counted");
    }
  }
}
