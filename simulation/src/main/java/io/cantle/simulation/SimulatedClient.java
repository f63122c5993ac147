package io.cantle.simulation;

import io.cantle.CacheFullException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.PartialWriteException;
import io.cantle.SegmentLostException;
import io.cantle.simulation.MapOperation.Kind;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that makes a call, waits a little, calls again, and records what it saw.
 *
 * <p><b>Threading:</b> one simulated thread.
 */
final class SimulatedClient {
  private static final long CALL_GRACE_NANOS = 1_000_000_000L;
  private static final int MAX_READ_KEYS = 5;
  private static final int HOT_KEY_COUNT = 2;
  private static final int EXPIRING_ONE_IN = 3;

  /** How many calls are bulk writes where some of their writes are refused, beside others. */
  private static final int REFUSED_BULK_ONE_IN = 8;

  /** How many of these remove keys, which makes room again. */
  private static final int BULK_REMOVAL_ONE_IN = 3;

  private static final long HURRIED_PAUSE_NANOS = 10_000_000L;

  /** How much longer a client waits at most after an error. */
  private static final long BACKOFF_NANOS = 500_000_000L;

  private static final Kind[] KINDS =
      Arrays.stream(Kind.values())
          .filter(kind -> kind != Kind.INCREMENT && kind != Kind.END)
          .toArray(Kind[]::new);
  private static final RecordedScan.Kind[] SCANS = RecordedScan.Kind.values();

  private final String name;
  private final NodeSlot slot;
  private final ClientWorkload workload;
  private final SeedScenario scenario;
  private final SplittableRandom random;
  private boolean afterFailure;

  SimulatedClient(String name, NodeSlot slot, ClientWorkload workload, SplittableRandom random) {
    this.name = name;
    this.slot = slot;
    this.workload = workload;
    this.scenario = workload.scenario();
    this.random = random;
  }

  /** Works until the workload stops or the node has closed. */
  void run() {
    while (workload.isOpen()) {
      pause();
      if (slot.state() == NodeSlot.State.LEAVING && random.nextInt(8) == 0) {
        return;
      }
      if (scenario.hasLifetimes()
          && slot.node().hasLifetimes()
          && random.nextInt(EXPIRING_ONE_IN) == 0) {
        callWithLifetime();
        continue;
      }
      if (scenario.refusesWrites() && random.nextInt(REFUSED_BULK_ONE_IN) == 0) {
        writeMany(random.nextInt(BULK_REMOVAL_ONE_IN) == 0);
        continue;
      }
      switch (random.nextInt(64)) {
        case 0 -> scanEntries(random.nextInt(4) == 0 ? random.nextInt(1, 30) : Integer.MAX_VALUE);
        case 1 -> scanEntries(Integer.MAX_VALUE);
        case 2 -> count();
        case 3, 4 -> writeMany(false);
        case 5, 6, 7, 8 -> call(scenario.counterKeys() == 0 ? drawOperation() : incrementCounter());
        default -> call(drawOperation());
      }
    }
  }

  /** Waits until the next call, and longer after an error. */
  void pause() {
    restFor(random.nextInt(4) > 0);
    if (afterFailure) {
      afterFailure = false;
      slot.host().clock().parkNanos(this, random.nextLong(BACKOFF_NANOS));
    }
  }

  /** Waits until the next call is due, or for a while. One call in four follows another at once. */
  private void restFor(boolean mayWait) {
    long nanos = 0;
    if (scenario.paceNanos() > 0) {
      nanos = workload.nanosUntilNextCall(random);
    } else if (mayWait) {
      nanos = random.nextLong(workload.isHurried() ? HURRIED_PAUSE_NANOS : scenario.thinkNanos());
    }
    if (mayWait) {
      slot.host().clock().parkNanos(this, nanos);
    }
  }

  /**
   * Reads some keys after more nodes were lost than may be. Each read must return the truth or an
   * error.
   */
  void readRandomKeys() {
    for (int i = 0; i < MAX_READ_KEYS; i++) {
      call(MapOperation.get(random.nextInt(scenario.keyCount())));
      scanEntries(Integer.MAX_VALUE);
    }
  }

  /** Writes a key once all is at rest. */
  void write() {
    call(MapOperation.put(drawKey(), workload.nextValue()));
  }

  /**
   * Reads everything once all is at rest, each key by itself and all by iteration. Nothing may
   * fail.
   */
  void readAll() {
    for (int key = 0; key < scenario.keyCount(); key++) {
      MapOperation operation = MapOperation.get(key);
      ClientCall call = workload.history().beginCall(name, operation);
      long result = slot.node().call(operation);
      call.recordReturn(workload.history().moment(), result);
      if (key < scenario.stableKeys() && result != DeliveryChecker.stableValue(key)) {
        workload.reportViolation(name + ": stable k" + key + " holds " + result + " at the end");
      }
    }
    RecordedScan scan = workload.beginScan(name, RecordedScan.Kind.ENTRIES);
    slot.node().scan(scan, Integer.MAX_VALUE);
    long size = slot.node().size();
    long count = slot.node().count();
    int walked = scan.deliveries().size();
    workload.recordEvictions(slot);
    // Where values expire, they may do so in between.
    if (!scenario.hasLifetimes() && (size != walked || count != walked)) {
      workload.reportViolation(
          name + ": at rest size() is " + size + ", count() " + count + ", iterated " + walked);
    }
  }

  private MapOperation drawOperation() {
    Kind kind = random.nextInt(3) == 0 ? Kind.GET : KINDS[random.nextInt(KINDS.length)];
    int key = drawKey();
    long value = writesValue(kind) ? workload.nextValue() : MapOperation.ABSENT;
    boolean conditional = kind == Kind.REMOVE_IF || kind == Kind.REPLACE_IF;
    // Now and then expects a value that cannot be there, which must be refused.
    long expected =
        conditional && workload.lastSeen(key) != MapOperation.ABSENT && random.nextInt(6) > 0
            ? workload.lastSeen(key)
            : workload.nextValue();
    return new MapOperation(kind, key, conditional ? expected : MapOperation.ABSENT, value);
  }

  /** Makes a call on a key whose values expire. */
  private void callWithLifetime() {
    int key = scenario.firstExpiringKey() + random.nextInt(SeedScenario.EXPIRING_KEY_COUNT);
    Kind kind = LifetimeModel.KINDS.get(random.nextInt(LifetimeModel.KINDS.size()));
    long value = writesValue(kind) ? workload.nextValue() : MapOperation.ABSENT;
    if (value != MapOperation.ABSENT) {
      workload.lifetimes().drawLifetime(value, random);
    }
    call(new MapOperation(kind, key, MapOperation.ABSENT, value));
  }

  private MapOperation incrementCounter() {
    int key = scenario.stableKeys() + scenario.volatileKeys();
    int counter = key + random.nextInt(scenario.counterKeys());
    return random.nextInt(4) == 0 ? MapOperation.get(counter) : MapOperation.increment(counter);
  }

  private static boolean writesValue(Kind kind) {
    return switch (kind) {
      case GET, CONTAINS, REMOVE, REMOVE_IF, INCREMENT, END -> false;
      default -> true;
    };
  }

  /** Draws a key. A third of all calls goes to few keys, so that writers meet. */
  int drawKey() {
    return workload.spreadKey(
        random.nextInt(3) == 0
            ? workload.hotKey(random.nextInt(HOT_KEY_COUNT))
            : scenario.stableKeys() + random.nextInt(scenario.volatileKeys()));
  }

  void call(MapOperation operation) {
    ClientCall call = workload.history().beginCall(name, operation);
    workload.countInProgress(operation.key(), 1);
    long began = workload.nowNanos() - slot.host().totalPausedNanos();
    boolean mustSucceed = workload.expectsSuccess();
    workload.log().record(EventKind.CALL, slot.host(), call.invoked(), call::toString);
    try {
      LifetimeModel.ValueLifetime life = workload.lifetimes().lifetimeOf(operation.value());
      long result =
          life == null
              ? slot.node().call(operation)
              : slot.node().call(operation, life.lifespan(), life.idle());
      endWithHost();
      call.recordReturn(workload.history().moment(), result);
      workload.recordSeen(operation.key(), recordSeen(operation, result));
      long written = operation.writtenValue(result);
      if (written != MapOperation.ABSENT && !scenario.isExpiringKey(operation.key())) {
        workload.recordAcknowledged(operation.key(), written);
      }
      workload.log().record(EventKind.RETURN, slot.host(), result, call::toString);
    } catch (IndeterminateException e) {
      workload.log().record(EventKind.INDETERMINATE, slot.host(), call.invoked(), e::toString);
      workload.recordOpen(operation.key());
      afterFailure = true;
      reportViolation(mustSucceed, call.toString(), e);
    } catch (RuntimeException e) {
      if (onRefusal(mustSucceed, call.toString(), EventKind.FAILURE, e)) {
        call.recordFailed();
      }
    }
    workload.countInProgress(operation.key(), -1);
    long took = workload.nowNanos() - slot.host().totalPausedNanos() - began;
    if (took > scenario.timeout().toNanos() + CALL_GRACE_NANOS) {
      workload.reportViolation(
          call
              + " took "
              + took / 1_000_000
              + " ms; the timeout is "
              + scenario.timeout().toMillis()
              + " ms");
    }
  }

  /** Returns what the key holds after a call, if the result tells it. */
  private long recordSeen(MapOperation operation, long result) {
    return switch (operation.kind()) {
      case GET, MERGE, COMPUTE, COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT, INCREMENT -> result;
      case PUT, REMOVE, PUT_IF_ABSENT, REPLACE -> operation.nextState(result);
      case CONTAINS, REMOVE_IF, REPLACE_IF, END ->
          result == 1 && operation.value() != MapOperation.ABSENT
              ? operation.value()
              : workload.lastSeen(operation.key());
    };
  }

  /** Puts some keys at once, or removes them. */
  private void writeMany(boolean removes) {
    Map<Integer, Long> values = new TreeMap<>();
    for (int i = random.nextInt(2, 8); i > 0; i--) {
      values.put(drawKey(), workload.nextValue());
    }
    String action = removes ? "removeAll " + values.keySet() : "putAll " + values;
    BulkClientCall bulk =
        new BulkClientCall(
            name,
            workload.history(),
            values.entrySet().stream()
                .map(
                    entry ->
                        removes
                            ? MapOperation.remove(entry.getKey())
                            : MapOperation.put(entry.getKey(), entry.getValue()))
                .toList());
    values.keySet().forEach(key -> workload.countInProgress(key, 1));
    boolean mustSucceed = workload.expectsSuccess();
    workload.log().record(EventKind.CALL, slot.host(), values.size(), () -> action);
    try {
      if (removes) {
        slot.node().removeAll(values.keySet());
      } else {
        slot.node().putAll(values);
      }
      endWithHost();
      long moment = workload.history().moment();
      bulk.recordDone(moment);
      workload.log().record(EventKind.RETURN, slot.host(), moment, () -> action);
    } catch (IndeterminateException e) {
      workload.log().record(EventKind.INDETERMINATE, slot.host(), values.size(), e::toString);
      values.keySet().forEach(workload::recordOpen);
      afterFailure = true;
      reportViolation(mustSucceed, action, e);
    } catch (RuntimeException e) {
      onRefusal(mustSucceed, action, EventKind.FAILURE, e);
      if (e instanceof GridException told && told.retrySafe()) {
        bulk.recordFailed();
      } else {
        // Some of them may have happened before the one that failed.
        values.keySet().forEach(workload::recordOpen);
        recordPartial(bulk, action, e);
      }
    }
    values.keySet().forEach(key -> workload.countInProgress(key, -1));
  }

  private void recordPartial(BulkClientCall bulk, String action, RuntimeException thrown) {
    endWithHost();
    if (thrown instanceof PartialWriteException partial) {
      // A moment of its own would change what follows in older seeds.
      String wrong = bulk.recordPartial(workload.history().lastMoment(), partial);
      if (wrong != null) {
        workload.reportViolation(action + ": " + wrong + ": " + partial);
      }
      workload.log().count(EventKind.WRITTEN_IN_PART, bulk.isDoneInPart());
    }
  }

  void scanEntries(int maxEntries) {
    RecordedScan scan = workload.beginScan(name, SCANS[random.nextInt(SCANS.length)]);
    int changes = workload.recordChange();
    boolean mustSucceed = workload.expectsSuccess();
    workload.log().record(EventKind.CALL, slot.host(), scan.began(), scan::toString);
    try {
      slot.node().scan(scan, maxEntries);
      workload
          .log()
          .record(
              scan.isComplete() ? EventKind.SCAN : EventKind.SCAN_ABANDONED,
              slot.host(),
              scan.deliveries().size(),
              scan::toString);
      if (scan.isComplete() && changes != workload.recordChange()) {
        workload.log().record(EventKind.SCAN_ACROSS_CHANGE, slot.host(), scan::toString);
      }
    } catch (RuntimeException e) {
      onRefusal(mustSucceed, scan.toString(), EventKind.SCAN_FAILURE, e);
    }
  }

  private void count() {
    boolean bySize = random.nextBoolean();
    String action = name + (bySize ? " size()" : " count()");
    boolean mustSucceed = workload.expectsSuccess();
    long began = workload.history().moment();
    workload.log().record(EventKind.CALL, slot.host(), () -> action);
    try {
      long count = bySize ? slot.node().size() : slot.node().count();
      endWithHost();
      workload.recordCount(name, began, count);
      workload.log().record(EventKind.RETURN, slot.host(), count, () -> action + " " + count);
      int minCount = scenario.stableKeys();
      if (count < minCount || count > scenario.keyCount()) {
        workload.reportViolation(
            action + " is " + count + ", not within " + minCount + " to " + scenario.keyCount());
      }
    } catch (RuntimeException e) {
      onRefusal(mustSucceed, action, EventKind.FAILURE, e);
    }
  }

  /** Returns whether the promises allow this exception here. The call has not happened then. */
  boolean onRefusal(boolean mustSucceed, String action, EventKind kind, RuntimeException e) {
    EventKind counted =
        switch (e) {
          case NotAvailableException none -> EventKind.NOT_AVAILABLE;
          case SegmentLostException lost -> EventKind.SEGMENT_LOST;
          case CacheFullException full -> EventKind.CACHE_FULL;
          case PartialWriteException partial
              when partial.getCause() instanceof CacheFullException ->
              EventKind.CACHE_FULL;
          default -> kind;
        };
    // While a node is away, its segments may have no other owner. When views are reliable, that
    // is allowed only if more nodes than permitted have been killed, or all.
    boolean mayBeLost =
        scenario.hasUnreliableViews()
            || workload.log().count(EventKind.OVERLOAD) > 0
            || workload.isAnyoneExpectedBack();
    boolean expected =
        e instanceof GridException && (mayBeLost || counted != EventKind.SEGMENT_LOST);
    boolean closing = slot.state() != NodeSlot.State.STEADY;
    afterFailure |= counted == EventKind.NOT_AVAILABLE;
    if (expected || (closing && e instanceof IllegalStateException)) {
      workload.log().record(counted, slot.host(), () -> action + ": " + e);
      boolean isShareFull = counted == EventKind.CACHE_FULL && !isHeapFull(e);
      reportViolation(mustSucceed && !closing && !isShareFull, action, e);
      return true;
    }
    workload.reportViolation(action + " threw " + StackTraces.format(e));
    return false;
  }

  /** Whether a write was refused since a heap was full, which none is after all faults. */
  static boolean isHeapFull(Throwable thrown) {
    return String.valueOf(thrown.getMessage()).contains("the heap of node");
  }

  /**
   * Reports the exception as a violation if the call had to succeed. Without faults, nothing may
   * fail.
   */
  private void reportViolation(boolean mustSucceed, String action, RuntimeException thrown) {
    if (mustSucceed && slot.state() == NodeSlot.State.STEADY) {
      workload.reportViolation(
          action + " failed long after all faults: " + StackTraces.format(thrown));
    }
  }

  /** Ends a thread whose host has died in the middle of its step. */
  void endWithHost() {
    while (!slot.host().isAlive()) {
      LockSupport.park(this);
    }
  }
}
