package io.cantle.simulation;

import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.simulation.Operation.Kind;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * One client: calls, waits a little, calls again, and writes down what it saw.
 *
 * <p><b>Threading:</b> one simulated thread.
 */
final class Client {
  private static final long GRACE_NANOS = 1_000_000_000L;
  private static final int SOME = 5;
  private static final int HOT_KEYS = 2;
  private static final int LASTING_ONE_IN = 3;
  private static final long HASTE_NANOS = 10_000_000L;

  /** How long a client at most waits more when it was told that something is wrong. */
  private static final long BACK_OFF_NANOS = 500_000_000L;

  private static final Kind[] KINDS =
      Arrays.stream(Kind.values())
          .filter(kind -> kind != Kind.INCREMENT && kind != Kind.END)
          .toArray(Kind[]::new);
  private static final Scan.Kind[] SCANS = Scan.Kind.values();

  private final String name;
  private final Station station;
  private final Workload workload;
  private final Scenario scenario;
  private final SplittableRandom random;
  private boolean troubled;

  Client(String name, Station station, Workload workload, SplittableRandom random) {
    this.name = name;
    this.station = station;
    this.workload = workload;
    this.scenario = workload.scenario();
    this.random = random;
  }

  /** Works until the workload stops or the node has closed. */
  void work() {
    while (workload.isOpen()) {
      pause();
      if (station.state() == Station.State.LEAVING && random.nextInt(8) == 0) {
        return;
      }
      if (scenario.lasts()
          && station.peer().hasLifetimes()
          && random.nextInt(LASTING_ONE_IN) == 0) {
        callLasting();
        continue;
      }
      switch (random.nextInt(64)) {
        case 0 -> walk(random.nextInt(4) == 0 ? random.nextInt(1, 30) : Integer.MAX_VALUE);
        case 1 -> walk(Integer.MAX_VALUE);
        case 2 -> count();
        case 3, 4 -> putAll();
        case 5, 6, 7, 8 -> call(countUp());
        default -> call(draw());
      }
    }
  }

  /** Waits until the next call, longer if there is trouble. */
  void pause() {
    rest(random.nextInt(4) > 0);
    if (troubled) {
      troubled = false;
      station.host().clock().parkNanos(this, random.nextLong(BACK_OFF_NANOS));
    }
  }

  /** Waits until the next call is due, or a while; one in four comes right after another. */
  private void rest(boolean mayWait) {
    long nanos = 0;
    if (scenario.paceNanos() > 0) {
      nanos = workload.untilNextCall(random);
    } else if (mayWait) {
      nanos = random.nextLong(workload.hurry() ? HASTE_NANOS : scenario.thinkNanos());
    }
    if (mayWait) {
      station.host().clock().parkNanos(this, nanos);
    }
  }

  /** Reads some keys after more was lost than may be: the truth, or an error. */
  void readSome() {
    for (int i = 0; i < SOME; i++) {
      call(Operation.get(random.nextInt(scenario.keys())));
      walk(Integer.MAX_VALUE);
    }
  }

  /** Writes a key once all is at rest. */
  void write() {
    call(Operation.put(drawKey(), workload.nextValue()));
  }

  /** Reads everything once all is at rest: each key, and by iteration; nothing may fail. */
  void readAll() {
    for (int key = 0; key < scenario.keys(); key++) {
      Operation operation = Operation.get(key);
      Call call = workload.history().begin(name, operation);
      long result = station.peer().call(operation);
      call.returned(workload.history().moment(), result);
      if (key < scenario.stableKeys() && result != Deliveries.stableValue(key)) {
        workload.violation(name + ": stable k" + key + " holds " + result + " at the end");
      }
    }
    Scan scan = workload.begin(name, Scan.Kind.ENTRIES);
    station.peer().walk(scan, Integer.MAX_VALUE);
    long size = station.peer().size();
    long count = station.peer().count();
    int walked = scan.deliveries().size();
    // Where values end they may do so in between.
    if (!scenario.lasts() && (size != walked || count != walked)) {
      workload.violation(
          name + ": at rest size() is " + size + ", count() " + count + ", iterated " + walked);
    }
  }

  private Operation draw() {
    Kind kind = random.nextInt(3) == 0 ? Kind.GET : KINDS[random.nextInt(KINDS.length)];
    int key = drawKey();
    long value = writesValue(kind) ? workload.nextValue() : Operation.ABSENT;
    boolean conditional = kind == Kind.REMOVE_IF || kind == Kind.REPLACE_IF;
    // One that cannot be there, now and then, must be refused.
    long expected =
        conditional && workload.lastSeen(key) != Operation.ABSENT && random.nextInt(6) > 0
            ? workload.lastSeen(key)
            : workload.nextValue();
    return new Operation(kind, key, conditional ? expected : Operation.ABSENT, value);
  }

  /** Calls on a key whose values end. */
  private void callLasting() {
    int key = scenario.firstLastingKey() + random.nextInt(Scenario.LASTING_KEYS);
    Kind kind = Lifetimes.KINDS.get(random.nextInt(Lifetimes.KINDS.size()));
    long value = writesValue(kind) ? workload.nextValue() : Operation.ABSENT;
    if (value != Operation.ABSENT) {
      workload.lifetimes().limit(value, random);
    }
    call(new Operation(kind, key, Operation.ABSENT, value));
  }

  private Operation countUp() {
    int key = scenario.stableKeys() + scenario.volatileKeys();
    int counter = key + random.nextInt(scenario.counterKeys());
    return random.nextInt(4) == 0 ? Operation.get(counter) : Operation.increment(counter);
  }

  private static boolean writesValue(Kind kind) {
    return switch (kind) {
      case GET, CONTAINS, REMOVE, REMOVE_IF, INCREMENT, END -> false;
      default -> true;
    };
  }

  /** A third of all calls goes to few keys, so that writers meet. */
  int drawKey() {
    return workload.spread(
        random.nextInt(3) == 0
            ? workload.hotKey(random.nextInt(HOT_KEYS))
            : scenario.stableKeys() + random.nextInt(scenario.volatileKeys()));
  }

  void call(Operation operation) {
    Call call = workload.history().begin(name, operation);
    workload.underWay(operation.key(), 1);
    long began = workload.nowNanos() - station.host().totalPausedNanos();
    boolean mustSucceed = workload.expectsSuccess();
    workload.log().record(EventKind.CALL, station.host(), call.invoked(), call::toString);
    try {
      Lifetimes.Life life = workload.lifetimes().of(operation.value());
      long result =
          life == null
              ? station.peer().call(operation)
              : station.peer().call(operation, life.lifespan(), life.idle());
      endWithHost();
      call.returned(workload.history().moment(), result);
      workload.saw(operation.key(), seen(operation, result));
      long written = operation.written(result);
      if (written != Operation.ABSENT && !scenario.isLasting(operation.key())) {
        workload.acknowledged(operation.key(), written);
      }
      workload.log().record(EventKind.RETURN, station.host(), result, call::toString);
    } catch (IndeterminateException e) {
      workload.log().record(EventKind.INDETERMINATE, station.host(), call.invoked(), e::toString);
      workload.leftOpen(operation.key());
      troubled = true;
      complain(mustSucceed, call.toString(), e);
    } catch (RuntimeException e) {
      if (refused(mustSucceed, call.toString(), EventKind.FAILURE, e)) {
        call.failed();
      }
    }
    workload.underWay(operation.key(), -1);
    long took = workload.nowNanos() - station.host().totalPausedNanos() - began;
    if (took > scenario.timeout().toNanos() + GRACE_NANOS) {
      workload.violation(
          call
              + " took "
              + took / 1_000_000
              + " ms; the timeout is "
              + scenario.timeout().toMillis()
              + " ms");
    }
  }

  /** What the key holds after a call, if the result tells. */
  private long seen(Operation operation, long result) {
    return switch (operation.kind()) {
      case GET, MERGE, COMPUTE, COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT, INCREMENT -> result;
      case PUT, REMOVE, PUT_IF_ABSENT, REPLACE -> operation.next(result);
      case CONTAINS, REMOVE_IF, REPLACE_IF, END ->
          result == 1 && operation.value() != Operation.ABSENT
              ? operation.value()
              : workload.lastSeen(operation.key());
    };
  }

  private void putAll() {
    Map<Integer, Long> values = new TreeMap<>();
    for (int i = random.nextInt(2, 8); i > 0; i--) {
      values.put(drawKey(), workload.nextValue());
    }
    Map<Integer, Call> calls = new TreeMap<>();
    values.forEach(
        (key, value) -> calls.put(key, workload.history().begin(name, Operation.put(key, value))));
    values.keySet().forEach(key -> workload.underWay(key, 1));
    boolean mustSucceed = workload.expectsSuccess();
    workload.log().record(EventKind.CALL, station.host(), values.size(), values::toString);
    try {
      station.peer().putAll(values);
      endWithHost();
      long moment = workload.history().moment();
      calls.values().forEach(call -> call.done(moment));
      workload.log().record(EventKind.RETURN, station.host(), moment, values::toString);
    } catch (IndeterminateException e) {
      workload.log().record(EventKind.INDETERMINATE, station.host(), values.size(), e::toString);
      values.keySet().forEach(workload::leftOpen);
      troubled = true;
      complain(mustSucceed, "putAll " + values, e);
    } catch (RuntimeException e) {
      refused(mustSucceed, "putAll " + values, EventKind.FAILURE, e);
      if (e instanceof GridException told && told.retrySafe()) {
        calls.values().forEach(Call::failed);
      } else {
        // Some of them may have happened before the one that failed.
        values.keySet().forEach(workload::leftOpen);
      }
    }
    values.keySet().forEach(key -> workload.underWay(key, -1));
  }

  void walk(int most) {
    Scan scan = workload.begin(name, SCANS[random.nextInt(SCANS.length)]);
    int changes = workload.changes();
    boolean mustSucceed = workload.expectsSuccess();
    workload.log().record(EventKind.CALL, station.host(), scan.began(), scan::toString);
    try {
      station.peer().walk(scan, most);
      workload
          .log()
          .record(
              scan.isComplete() ? EventKind.SCAN : EventKind.SCAN_ABANDONED,
              station.host(),
              scan.deliveries().size(),
              scan::toString);
      if (scan.isComplete() && changes != workload.changes()) {
        workload.log().record(EventKind.SCAN_ACROSS_CHANGE, station.host(), scan::toString);
      }
    } catch (RuntimeException e) {
      refused(mustSucceed, scan.toString(), EventKind.SCAN_FAILURE, e);
    }
  }

  private void count() {
    boolean bySize = random.nextBoolean();
    String what = name + (bySize ? " size()" : " count()");
    boolean mustSucceed = workload.expectsSuccess();
    long began = workload.history().moment();
    workload.log().record(EventKind.CALL, station.host(), () -> what);
    try {
      long count = bySize ? station.peer().size() : station.peer().count();
      endWithHost();
      workload.counted(name, began, count);
      workload.log().record(EventKind.RETURN, station.host(), count, () -> what + " " + count);
      int least = scenario.stableKeys();
      if (count < least || count > scenario.keys()) {
        workload.violation(
            what + " is " + count + ", not within " + least + " to " + scenario.keys());
      }
    } catch (RuntimeException e) {
      refused(mustSucceed, what, EventKind.FAILURE, e);
    }
  }

  /** Whether an exception is one the promises allow here: the call has not happened. */
  boolean refused(boolean mustSucceed, String what, EventKind kind, RuntimeException e) {
    EventKind counted =
        switch (e) {
          case NotAvailableException none -> EventKind.NOT_AVAILABLE;
          case SegmentLostException lost -> EventKind.SEGMENT_LOST;
          default -> kind;
        };
    // While somebody is away its segments may have nobody else; when views are the truth only if
    // more have been killed than may be, or all.
    boolean mayBeLost =
        scenario.hints()
            || workload.log().count(EventKind.OVERLOAD) > 0
            || workload.somebodyIsToComeBack();
    boolean expected =
        e instanceof GridException && (mayBeLost || counted != EventKind.SEGMENT_LOST);
    boolean closing = station.state() != Station.State.STEADY;
    troubled |= counted == EventKind.NOT_AVAILABLE;
    if (expected || (closing && e instanceof IllegalStateException)) {
      workload.log().record(counted, station.host(), () -> what + ": " + e);
      complain(mustSucceed && !closing, what, e);
      return true;
    }
    workload.violation(what + " threw " + Stacks.of(e));
    return false;
  }

  /** When nothing goes wrong any more, nothing may fail. */
  private void complain(boolean mustSucceed, String what, RuntimeException thrown) {
    if (mustSucceed && station.state() == Station.State.STEADY) {
      workload.violation(what + " failed long after all faults: " + Stacks.of(thrown));
    }
  }

  /** A thread whose host has died in the middle of its step goes no further. */
  void endWithHost() {
    while (!station.host().alive()) {
      LockSupport.park(this);
    }
  }
}
