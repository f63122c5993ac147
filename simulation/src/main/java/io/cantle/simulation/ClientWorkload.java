package io.cantle.simulation;

import io.cantle.GridException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What all clients of a run share: whether to work, the next value, what they saw, and what was
 * wrong with it.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class ClientWorkload {
  private static final long FIRST_VALUE = 1L << 20;
  private static final long HURRIED_NANOS = 250_000_000L;

  /** A key with so many calls of unknown fate is not hot any more: little can be told about it. */
  private static final int MAX_OPEN_CALLS = 12;

  /**
   * Nor is one with so many calls that wait: they may be in any order. More than all clients of a
   * seed that draws its rate.
   */
  private static final int MAX_CALLS_IN_PROGRESS = 32;

  /** Of both together, where many calls are asked for. */
  private static final int MAX_UNCLEAR_CALLS = 10;

  /** After a load that failed. */
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

  /** Of which values there is an end. */
  LifetimeModel lifetimes() {
    return lifetimes;
  }

  EventLog log() {
    return log;
  }

  CallHistory history() {
    return history;
  }

  /** Writes none of the values another one has written. */
  void isLaterThan(ClientWorkload other) {
    values = other.values;
  }

  /** Clients may begin. */
  void openCallCount() {
    open = true;
    nextCallNanos = nowNanos();
  }

  boolean isOpen() {
    return open && !stopped;
  }

  /** Clients end after their present call. */
  void stop() {
    stopped = true;
  }

  /** From now on every call must succeed. */
  void expectSuccess() {
    undisturbed = true;
  }

  /** Whether a call that begins now must succeed. */
  boolean expectsSuccess() {
    return undisturbed;
  }

  /** A value nobody has written. */
  long nextValue() {
    return values++;
  }

  /** What somebody saw a key hold of late: likely to be there still. */
  long lastSeen(int key) {
    return lastSeen[key];
  }

  void recordSeen(int key, long value) {
    lastSeen[key] = value;
  }

  /** A call on a key ended, and nobody was told whether it has happened. */
  void recordOpen(int key) {
    openCalls[key]++;
  }

  /** So many more calls on a key are under way. */
  void countInProgress(int key, int more) {
    callsInProgress[key] += more;
  }

  /**
   * Takes the next of all moments at which somebody shall call, and says how far it is off; not
   * positive when it has passed. Whoever is free takes it, so that as many calls are made when some
   * clients are blocked or their node is gone; when all are, they make up for it later.
   */
  long nanosUntilNextCall(SplittableRandom random) {
    nextCallNanos += random.nextLong(2 * scenario.paceNanos());
    return nextCallNanos - nowNanos();
  }

  /**
   * One of the keys at which writers meet; they move on when too many calls were left open or wait.
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
   * The key to call instead of one, which is mostly the same. Where many calls are asked for and
   * many of them wait or are left open, they are spread, or no search would ever put them in order.
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

  /** A write was acknowledged after which the key held a value. */
  void recordAcknowledged(int key, long value) {
    invariantChecker.checkAcknowledged(key, value);
  }

  /** How many times the membership has changed. */
  int recordChange() {
    return network.changes();
  }

  /** Whether clients shall hurry: the time after a change is when mistakes are made. */
  boolean isHurried() {
    return scheduler.nowNanos() - network.changedNanos() < HURRIED_NANOS;
  }

  long nowNanos() {
    return scheduler.nowNanos();
  }

  /** All nodes are stopped: what they own has nobody until they are back. */
  void stopAllClients() {
    awayUntilNanos = Long.MAX_VALUE;
  }

  /** They are members again; what they own is theirs soon. */
  void onAllBack() {
    awayUntilNanos = scheduler.nowNanos() + scenario.timeout().toNanos();
  }

  /** Whether owners may not be back from a stop of all nodes. */
  boolean isAnyoneExpectedBack() {
    return scheduler.nowNanos() < awayUntilNanos;
  }

  RecordedScan beginScan(String client, RecordedScan.Kind kind) {
    RecordedScan scan = new RecordedScan(client, kind, history);
    scans.add(scan);
    return scan;
  }

  /** A client was told how many keys there are. */
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
          // What was in memory of those that never come back.
          peer.acceptLoss();
        }
        peer.putAll(stable);
        loaded = true;
      } catch (GridException e) {
        // The same values again do no harm: nobody has seen any of them yet.
        log.print("load", host, e.toString());
        host.world().clock().sleepNanos(this, RELOAD_DELAY_NANOS);
      }
    }
    long moment = history.moment();
    calls.forEach(call -> call.recordDone(moment));
  }

  /** Something is wrong: the run ends. */
  void reportViolation(String text) {
    scheduler.fail(text);
  }

  /** What needs no search. */
  private List<String> checkQuickly(int key, List<ClientCall> calls) {
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

  /** Judges everything that was seen; the first violation, or null. */
  @Nullable String checkAll(long maxSteps) {
    lifetimes.addEnds(history);
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
    for (Map.Entry<Integer, List<ClientCall>> key : history.byKey().entrySet()) {
      List<String> wrong = checkQuickly(key.getKey(), key.getValue());
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
