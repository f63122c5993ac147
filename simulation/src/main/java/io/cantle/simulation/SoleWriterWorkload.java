package io.cantle.simulation;

import io.cantle.CacheFullException;
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
 * The workload of a grid that stays available when it is cut. Linearizability is not promised
 * across sides there. The promise concerns a key that only one client ever writes. Once all sides
 * are merged, the key holds what that client was told is written, or what it wrote later. If its
 * last write was a removal, the key stays removed. So each client has a key of its own. No call may
 * be refused for a lost segment or a missing majority.
 *
 * <p><b>What may be lost.</b> A write may be lost with the last node that kept it: an owner on any
 * side, or a node that had yet to bring it to the others. On a side of its own a node has no
 * backup. So whenever a node dies, the workload checks which other nodes keep what it kept, and
 * forgives the loss of what none of them keeps. The same applies to a node that leaves when all
 * others of its side leave as well, or there are none: it has nobody to hand over to. Whatever a
 * living node keeps must be there in the end.
 *
 * <p><b>In a cache with a bound</b> a key may be absent at any time if entries are evicted, but no
 * earlier value may come back. If writes are refused instead, one that was acknowledged is there,
 * and one that was refused for want of room never is.
 *
 * <p>All clients write to a few shared keys. There, one of two values is lost when sides merge, and
 * each loss must be counted; see {@link LostUpdateChecker}.
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

  /** The numbers of writes that were refused for want of room. */
  private final Set<Long> withoutRoom = new HashSet<>();

  /** The numbers that some client has found; none of these may be one without room. */
  private final Set<Long> seen = new HashSet<>();

  private int owned;
  private int gone;

  /** What is known of a key with one writer. */
  private static final class SoleWrittenKey {
    /** The number of the last acknowledged write, 0 for none. */
    long acknowledged;

    boolean removed;

    /** The number of the last removal whose outcome is unknown. */
    long unansweredRemoval;

    /** The acknowledged value, if there was one, and all values tried since. */
    final Set<ByteBuffer> values = new HashSet<>();

    /** When an acknowledged removal was made. */
    long removedNanos;

    /** Whether all nodes that kept the key are gone. */
    boolean forgiven;

    /**
     * Returns whether a copy is as recent as what was acknowledged. A tombstone may be that of an
     * earlier removal, on a side that is yet to be merged.
     */
    boolean isReflectedIn(NodeInspection.KeptValue copy) {
      if (!copy.tombstone()) {
        return values.contains(copy.value());
      }
      return removed ? copy.stamp() >= removedNanos : unansweredRemoval > acknowledged;
    }

    boolean mayHold(long found, boolean evicts) {
      if (forgiven) {
        return true;
      }
      if (found == MapOperation.ABSENT) {
        return evicts || removed || acknowledged == 0 || unansweredRemoval > acknowledged;
      }
      // The numbers of a key only grow: a later one belongs to a write without an answer.
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

  /** Records that the stable keys are written. Nobody writes them later. */
  void onLoaded() {
    for (int key = 0; key < scenario.stableKeys(); key++) {
      keys[key].acknowledged = DeliveryChecker.stableValue(key);
      keys[key].values.add(
          stations.get().getFirst().node().insight().valueOf(key, keys[key].acknowledged));
    }
  }

  /** Returns what live nodes keep of a key, leaving out one node. */
  private List<NodeInspection.KeptValue> keptElsewhere(int key, @Nullable NodeSlot but) {
    return stations.get().stream()
        .filter(slot -> slot.host().isAlive() && !slot.equals(but))
        .flatMap(slot -> slot.node().insight().keptValues(key).stream())
        .toList();
  }

  /** Handles a node that has died or left: what no other node keeps is lost. */
  void onNodeGone(NodeSlot slot) {
    gone++;
    boolean handedOver =
        slot.isClosed()
            && !slot.node().insight().members().contains(slot.transport().member().id());
    for (int key = 0; key < keys.length; key++) {
      SoleWrittenKey sole = keys[key];
      if (!handedOver && keptElsewhere(key, slot).stream().noneMatch(sole::isReflectedIn)) {
        sole.forgiven = true;
      }
    }
  }

  /** Writes a key of its own, if one is left, and the shared keys, until the workload stops. */
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
          recordSeen(name, key, before);
        } else {
          writeOwn(slot, key, number, removes);
        }
        recordSeen(name, key, slot.node().call(MapOperation.get(key)));
      } catch (SegmentLostException | NotAvailableException e) {
        if (mustSucceed || !isMissingCapacity(e)) {
          workload.reportViolation(name + " was refused in a grid that stays available: " + e);
        }
        end = EventKind.FAILURE;
        restFor(slot, 1 + random.nextLong(BACKOFF_NANOS));
      } catch (CacheFullException e) {
        end = EventKind.CACHE_FULL;
        withoutRoom.add(number);
        checkMade(name, key, number);
        if (mustSucceed && SimulatedClient.isHeapFull(e)) {
          workload.reportViolation(name + " found a full heap long after all faults: " + e);
        }
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

  /**
   * Returns whether the exception is due to missing capacity. If no node on a side may own
   * anything, its clients can only wait.
   */
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
      // The segment may have begun empty, with nothing to remove.
      return;
    }
    sole.acknowledged = number;
    sole.removed = removes;
    sole.values.clear();
    if (!removes) {
      sole.values.add(value);
    }
    List<NodeInspection.KeptValue> kept = keptElsewhere(key, null);
    sole.removedNanos =
        kept.stream()
            .filter(NodeInspection.KeptValue::tombstone)
            .mapToLong(NodeInspection.KeptValue::stamp)
            .max()
            .orElse(Long.MAX_VALUE);
    // The node that answered may have died before the answer arrived.
    sole.forgiven = kept.stream().noneMatch(sole::isReflectedIn);
    if (sole.forgiven && gone == goneBefore && !scenario.evicts()) {
      workload.reportViolation(
          "number " + number + " of k" + key + " was acknowledged, and nobody keeps it");
    }
  }

  /** Ends a thread whose host has died in the middle of its step. */
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
    workload.recordEvictions(slot);
    for (int key = 0; key < scenario.keyCount(); key++) {
      long found = slot.node().call(MapOperation.get(key));
      recordSeen(name, key, found);
      if (shared.isShared(key)) {
        shared.recordFound(key, found);
      } else if (!keys[key].mayHold(found, scenario.evicts())) {
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

  private void recordSeen(String name, int key, long found) {
    seen.add(found);
    checkMade(name, key, found);
  }

  private void checkMade(String name, int key, long number) {
    if (seen.contains(number) && withoutRoom.contains(number)) {
      workload.reportViolation(
          name + ": k" + key + " held " + number + ", for which there was no room");
    }
  }

  /**
   * Checks that lost values are counted, unless a node that died took its uncounted losses along.
   * Of evicted values nobody knows whether they were lost before.
   */
  void checkLosses() {
    MergeLosses losses =
        stations.get().stream()
            .map(slot -> slot.node().mergeLossCount())
            .reduce(MergeLosses.NONE, MergeLosses::plus);
    long counted = losses.overwritten() + losses.removed();
    long missing = shared.missingValues();
    if (gone == 0 && missing > counted && !scenario.evicts()) {
      workload.reportViolation(
          missing + " acknowledged values of shared keys are lost, and " + losses + " are counted");
    }
  }
}
