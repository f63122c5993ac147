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
final class Workload {
  private static final long FIRST_VALUE = 1L << 20;
  private static final long HURRY_NANOS = 250_000_000L;

  /** A key with so many calls of unknown fate is not hot any more: little can be told about it. */
  private static final int MOST_OPEN = 12;

  /**
   * Nor is one with so many calls that wait: they may be in any order. More than all clients of a
   * seed that draws its rate.
   */
  private static final int MOST_UNDER_WAY = 32;

  /** Of both together, where many calls are asked for. */
  private static final int MOST_UNCLEAR = 10;

  /** After a load that failed. */
  private static final long LOAD_AGAIN_NANOS = 100_000_000;

  private final Scenario scenario;
  private final Scheduler scheduler;
  private final EventLog log;
  private final Network network;
  private final History history;
  private final List<Scan> scans = new ArrayList<>();
  private final Counts counts;
  private final Invariants invariants;
  private final Lifetimes lifetimes = new Lifetimes();
  private final long[] lastSeen;
  private final int[] openCalls;
  private final int[] callsUnderWay;
  private long awayUntilNanos = Long.MIN_VALUE;
  private long nextCallNanos;
  private long values = FIRST_VALUE;
  private boolean open;
  private boolean stopped;
  private boolean undisturbed;

  Workload(
      Scenario scenario,
      Scheduler scheduler,
      EventLog log,
      Network network,
      History history,
      Invariants invariants) {
    this.invariants = invariants;
    this.scenario = scenario;
    this.scheduler = scheduler;
    this.log = log;
    this.network = network;
    this.history = history;
    this.lastSeen = new long[scenario.keys()];
    this.openCalls = new int[scenario.keys()];
    this.counts = new Counts(scenario.stableKeys(), scenario.keys());
    this.callsUnderWay = new int[scenario.keys()];
  }

  Scenario scenario() {
    return scenario;
  }

  /** Of which values there is an end. */
  Lifetimes lifetimes() {
    return lifetimes;
  }

  EventLog log() {
    return log;
  }

  History history() {
    return history;
  }

  /** Writes none of the values another one has written. */
  void follows(Workload other) {
    values = other.values;
  }

  /** Clients may begin. */
  void open() {
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

  void saw(int key, long value) {
    lastSeen[key] = value;
  }

  /** A call on a key ended, and nobody was told whether it has happened. */
  void leftOpen(int key) {
    openCalls[key]++;
  }

  /** So many more calls on a key are under way. */
  void underWay(int key, int more) {
    callsUnderWay[key] += more;
  }

  /**
   * Takes the next of all moments at which somebody shall call, and says how far it is off; not
   * positive when it has passed. Whoever is free takes it, so that as many calls are made when some
   * clients are blocked or their node is gone; when all are, they make up for it later.
   */
  long untilNextCall(SplittableRandom random) {
    nextCallNanos += random.nextLong(2 * scenario.paceNanos());
    return nextCallNanos - nowNanos();
  }

  /**
   * One of the keys at which writers meet; they move on when too many calls were left open or wait.
   */
  int hotKey(int which) {
    int first = scenario.stableKeys();
    int left = which;
    for (int key = first; key < first + scenario.volatileKeys(); key++) {
      if (openCalls[key] < MOST_OPEN && callsUnderWay[key] < MOST_UNDER_WAY && left-- == 0) {
        return key;
      }
    }
    return first + which;
  }

  /**
   * The key to call instead of one, which is mostly the same. Where many calls are asked for and
   * many of them wait or are left open, they are spread, or no search would ever put them in order.
   */
  int spread(int key) {
    if (scenario.paceNanos() == 0 || unclear(key) < MOST_UNCLEAR) {
      return key;
    }
    int clearest = key;
    int first = scenario.stableKeys();
    for (int other = first; other < first + scenario.volatileKeys(); other++) {
      clearest = unclear(other) < unclear(clearest) ? other : clearest;
    }
    return clearest;
  }

  private int unclear(int key) {
    return openCalls[key] + callsUnderWay[key];
  }

  /** A write was acknowledged after which the key held a value. */
  void acknowledged(int key, long value) {
    invariants.checkAcknowledged(key, value);
  }

  /** How many times the membership has changed. */
  int changes() {
    return network.changes();
  }

  /** Whether clients shall hurry: the time after a change is when mistakes are made. */
  boolean hurry() {
    return scheduler.nowNanos() - network.changedNanos() < HURRY_NANOS;
  }

  long nowNanos() {
    return scheduler.nowNanos();
  }

  /** All nodes are stopped: what they own has nobody until they are back. */
  void allStop() {
    awayUntilNanos = Long.MAX_VALUE;
  }

  /** They are members again; what they own is theirs soon. */
  void allAreBack() {
    awayUntilNanos = scheduler.nowNanos() + scenario.timeout().toNanos();
  }

  /** Whether owners may not be back from a stop of all nodes. */
  boolean somebodyIsToComeBack() {
    return scheduler.nowNanos() < awayUntilNanos;
  }

  Scan begin(String client, Scan.Kind kind) {
    Scan scan = new Scan(client, kind, history);
    scans.add(scan);
    return scan;
  }

  /** A client was told how many keys there are. */
  void counted(String client, long began, long told) {
    counts.add(client, began, history.moment(), told);
  }

  /** Writes every stable key. */
  void load(Peer peer, Host host) {
    Map<Integer, Long> stable = new TreeMap<>();
    List<Call> calls = new ArrayList<>();
    for (int key = 0; key < scenario.stableKeys(); key++) {
      stable.put(key, Deliveries.stableValue(key));
      calls.add(history.begin("load", Operation.put(key, Deliveries.stableValue(key))));
    }
    boolean loaded = false;
    while (!loaded) {
      try {
        if (scenario.durable()) {
          // What was in memory of those that never come back.
          peer.acceptLoss();
        }
        peer.putAll(stable);
        loaded = true;
      } catch (GridException e) {
        // The same values again do no harm: nobody has seen any of them yet.
        log.print("load", host, e.toString());
        host.world().clock().sleepNanos(this, LOAD_AGAIN_NANOS);
      }
    }
    long moment = history.moment();
    calls.forEach(call -> call.done(moment));
  }

  /** Something is wrong: the run ends. */
  void violation(String text) {
    scheduler.fail(text);
  }

  /** What needs no search. */
  private List<String> quickly(int key, List<Call> calls) {
    if (scenario.isCounter(key)) {
      return Counter.check(calls);
    }
    // Nobody writes a stable key after it was loaded.
    List<String> wrong =
        key < scenario.stableKeys() ? new ArrayList<>() : new ArrayList<>(Tokens.check(calls));
    wrong.addAll(SessionOrder.check(calls));
    return wrong;
  }

  /** Judges everything that was seen; the first violation, or null. */
  @Nullable String judge(long maxSteps) {
    lifetimes.addEnds(history);
    List<String> miscounted = counts.addReads(history);
    if (!miscounted.isEmpty()) {
      return miscounted.getFirst();
    }
    Deliveries deliveries = new Deliveries(scenario.stableKeys(), scenario.keys());
    for (Scan scan : scans) {
      List<String> wrong = deliveries.check(scan);
      if (!wrong.isEmpty()) {
        return wrong.getFirst();
      }
      deliveries.addReads(scan, history);
    }
    for (Map.Entry<Integer, List<Call>> key : history.byKey().entrySet()) {
      List<String> wrong = quickly(key.getKey(), key.getValue());
      if (!wrong.isEmpty()) {
        return "k" + key.getKey() + " VIOLATED: " + wrong.getFirst();
      }
      if (scenario.isCounter(key.getKey())) {
        continue;
      }
      Linearizability.Verdict verdict = Linearizability.check(key.getValue(), maxSteps);
      if (verdict != Linearizability.Verdict.LINEARIZABLE) {
        return "k"
            + key.getKey()
            + " "
            + verdict
            + ": "
            + new Contradiction(key.getValue(), maxSteps);
      }
    }
    return null;
  }
}
