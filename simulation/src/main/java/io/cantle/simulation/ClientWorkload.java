package io.cantle.simulation;

import io.cantle.GridException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state that all clients of a run share: whether to work, the next value to write, what they
 * saw, and the violations found in it.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class ClientWorkload {
  private static final long FIRST_VALUE = 1L << 20;
  private static final long HURRIED_NANOS = 250_000_000L;

  /**
   * A key with this many calls of unknown outcome is no longer hot: little can be concluded about
   * it.
   */
  private static final int MAX_OPEN_CALLS = 12;

  /**
   * A key with this many calls in progress is no longer hot either: they may be in any order. The
   * limit exceeds the number of clients of a seed that draws its rate.
   */
  private static final int MAX_CALLS_IN_PROGRESS = 32;

  /** The limit for both together, where a high call rate was requested. */
  private static final int MAX_UNCLEAR_CALLS = 10;

  /** How long to wait after a load that failed. */
  private static final long RELOAD_DELAY_NANOS = 100_000_000;

  private final SeedScenario scenario;
  private final SimulationScheduler scheduler;
  private final EventLog log;
  private final SimulatedNetwork network;
  private final CallHistory history;
  private final List<RecordedScan> scans = new ArrayList<>();
  private final CountChecker counts;
  private final InvariantChecker invariantChecker;
  private final LifetimeModel lifetimes = new LifetimeModel();
  private final long[] lastSeen;
  private final int[] openCalls;
  private final int[] callsInProgress;
  private long awayUntilNanos = Long.MIN_VALUE;
  private long nextCallNanos;
  private long values = FIRST_VALUE;
  private boolean open;
  private boolean stopped;
  private boolean undisturbed;

  ClientWorkload(
      SeedScenario scenario,
      SimulationScheduler scheduler,
      EventLog log,
      SimulatedNetwork network,
      CallHistory history,
      InvariantChecker invariantChecker) {
    this.invariantChecker = invariantChecker;
    this.scenario = scenario;
    this.scheduler = scheduler;
    this.log = log;
    this.network = network;
    this.history = history;
    this.lastSeen = new long[scenario.keyCount()];
    this.openCalls = new int[scenario.keyCount()];
    this.counts = new CountChecker(scenario.stableKeys(), scenario.keyCount());
    this.callsInProgress = new int[scenario.keyCount()];
  }

  SeedScenario scenario() {
    return scenario;
  }

  /** Returns the lifetimes of the values that expire. */
  LifetimeModel lifetimes() {
    return lifetimes;
  }

  EventLog log() {
    return log;
  }

  CallHistory history() {
    return history;
  }

  /** Continues after another workload, so that none of its values is written again. */
  void continueAfter(ClientWorkload other) {
    values = other.values;
  }

  /** Lets clients begin. */
  void open() {
    open = true;
    nextCallNanos = nowNanos();
  }

  boolean isOpen() {
    return open && !stopped;
  }

  /** Ends each client after its present call. */
  void stop() {
    stopped = true;
  }

  /** Requires every call from now on to succeed. */
  void expectSuccess() {
    undisturbed = true;
  }

  /** Returns whether a call that begins now must succeed. */
  boolean expectsSuccess() {
    return undisturbed;
  }

  /** Returns a value that has never been written. */
  long nextValue() {
    return values++;
  }

  /** Returns the value a client last saw under a key. It is likely to be there still. */
  long lastSeen(int key) {
    return lastSeen[key];
  }

  void recordSeen(int key, long value) {
    lastSeen[key] = value;
  }

  /** Records that a call on a key ended with an unknown outcome. */
  void recordOpen(int key) {
    openCalls[key]++;
  }

  /** Changes the number of calls in progress on a key. */
  void countInProgress(int key, int more) {
    callsInProgress[key] += more;
  }

  /**
   * Takes the next of the moments at which some client should call, and returns how far off it is.
   * The result is not positive when that moment has passed. Any free client takes it, so the rate
   * is kept when some clients are blocked or their node is gone. If all are blocked, they catch up
   * later.
   */
  long nanosUntilNextCall(SplittableRandom random) {
    nextCallNanos += random.nextLong(2 * scenario.paceNanos());
    return nextCallNanos - nowNanos();
  }

  /**
   * Returns one of the keys on which writers meet. Hot keys change when too many calls on them are
   * open or in progress.
   */
  int hotKey(int index) {
    int first = scenario.stableKeys();
    int left = index;
    for (int key = first; key < first + scenario.volatileKeys(); key++) {
      if (openCalls[key] < MAX_OPEN_CALLS
          && callsInProgress[key] < MAX_CALLS_IN_PROGRESS
          && left-- == 0) {
        return key;
      }
    }
    return first + index;
  }

  /**
   * Returns the key to call instead of the given one, which is mostly the same. At a high rate,
   * calls are spread away from keys with many unfinished or open calls; otherwise no search could
   * ever order them.
   */
  int spreadKey(int key) {
    if (scenario.paceNanos() == 0 || recordUnclear(key) < MAX_UNCLEAR_CALLS) {
      return key;
    }
    int clearest = key;
    int first = scenario.stableKeys();
    for (int other = first; other < first + scenario.volatileKeys(); other++) {
      clearest = recordUnclear(other) < recordUnclear(clearest) ? other : clearest;
    }
    return clearest;
  }

  private int recordUnclear(int key) {
    return openCalls[key] + callsInProgress[key];
  }

  /** Records an acknowledged write that left this value under the key. */
  void recordAcknowledged(int key, long value) {
    invariantChecker.checkAcknowledged(key, value);
  }

  /** Returns how many times the membership has changed. */
  int recordChange() {
    return network.changes();
  }

  /** Returns whether clients should hurry. Most mistakes are made shortly after a change. */
  boolean isHurried() {
    return scheduler.nowNanos() - network.changedNanos() < HURRIED_NANOS;
  }

  long nowNanos() {
    return scheduler.nowNanos();
  }

  /** Records that all nodes are stopped. What they own is unavailable until they have restarted. */
  void stopAllClients() {
    awayUntilNanos = Long.MAX_VALUE;
  }

  /** Records that all are members again. They soon own their data again. */
  void onAllBack() {
    awayUntilNanos = scheduler.nowNanos() + scenario.timeout().toNanos();
  }

  /** Returns whether some owners may not have returned from a stop of all nodes. */
  boolean isAnyoneExpectedBack() {
    return scheduler.nowNanos() < awayUntilNanos;
  }

  RecordedScan beginScan(String client, RecordedScan.Kind kind) {
    RecordedScan scan = new RecordedScan(client, kind, history);
    scans.add(scan);
    return scan;
  }

  /** Records how many keys a client was told there are. */
  void recordCount(String client, long began, long reported) {
    counts.add(client, began, history.moment(), reported);
  }

  /** Writes every stable key. */
  void loadEntries(NodeUnderTest peer, SimulatedHost host) {
    Map<Integer, Long> stable = new TreeMap<>();
    List<ClientCall> calls = new ArrayList<>();
    for (int key = 0; key < scenario.stableKeys(); key++) {
      stable.put(key, DeliveryChecker.stableValue(key));
      calls.add(history.beginCall("load", MapOperation.put(key, DeliveryChecker.stableValue(key))));
    }
    boolean loaded = false;
    while (!loaded) {
      try {
        if (scenario.isDurable()) {
          // Gives up what existed only in the memory of nodes that never return.
          peer.acceptLoss();
        }
        peer.putAll(stable);
        loaded = true;
      } catch (GridException e) {
        // Writing the same values again does no harm: nobody has seen any of them yet.
        log.print("load", host, e.toString());
        host.world().clock().sleepNanos(this, RELOAD_DELAY_NANOS);
      }
    }
    long moment = history.moment();
    calls.forEach(call -> call.recordDone(moment));
  }

  /** Records whether a node has evicted anything. */
  void recordEvictions(NodeSlot slot) {
    if (scenario.cache().isBounded()) {
      log.count(EventKind.EVICTION, slot.node().cache().statistics().evictions() > 0);
    }
  }

  /** Records a violation, which ends the run. */
  void reportViolation(String text) {
    scheduler.fail(text);
  }

  /** Runs the checks that need no search. */
  private List<String> checkWithoutSearch(int key, List<ClientCall> calls) {
    if (scenario.isCounterKey(key)) {
      return CounterChecker.check(calls);
    }
    // Nobody writes a stable key after it was loaded.
    List<String> wrong =
        key < scenario.stableKeys()
            ? new ArrayList<>()
            : new ArrayList<>(UniqueValueChecker.check(calls));
    wrong.addAll(SessionGuaranteeChecker.check(calls));
    return wrong;
  }

  /** Checks everything that was seen, and returns the first violation or null. */
  @Nullable String checkAll(long maxSteps) {
    lifetimes.addEnds(history);
    EvictionModel evictions = new EvictionModel();
    if (scenario.evicts()) {
      evictions.addEvictions(history);
    }
    List<String> miscounted = counts.addReads(history);
    if (!miscounted.isEmpty()) {
      return miscounted.getFirst();
    }
    DeliveryChecker deliveries = new DeliveryChecker(scenario.stableKeys(), scenario.keyCount());
    for (RecordedScan scan : scans) {
      List<String> wrong = deliveries.checkScan(scan);
      if (!wrong.isEmpty()) {
        return wrong.getFirst();
      }
      deliveries.addReads(scan, history);
    }
    if (scenario.evicts()) {
      evictions.addEvictions(history);
    }
    for (Map.Entry<Integer, List<ClientCall>> key : history.byKey().entrySet()) {
      List<String> wrong = checkWithoutSearch(key.getKey(), key.getValue());
      if (!wrong.isEmpty()) {
        return "k" + key.getKey() + " VIOLATED: " + wrong.getFirst();
      }
      if (scenario.isCounterKey(key.getKey())) {
        continue;
      }
      LinearizabilityChecker.Verdict verdict =
          LinearizabilityChecker.check(key.getValue(), maxSteps);
      if (verdict != LinearizabilityChecker.Verdict.LINEARIZABLE) {
        return "k"
            + key.getKey()
            + " "
            + verdict
            + ": "
            + new ContradictionReport(key.getValue(), maxSteps);
      }
    }
    return null;
  }
}
