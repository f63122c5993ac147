package io.cantle.simulation;

import io.cantle.CacheConfig;
import io.cantle.simulation.Operation.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The lifetimes of the values that clients wrote, and what they mean: the end of a value is a call
 * nobody made, which removes the value if it is still there. It may happen from the shortest time
 * after the write began on, and must have happened the longest time after the write returned. With
 * these calls added to a history, {@link Linearizability} finds what ended too early, what was seen
 * too late, and what came back.
 *
 * <p>The end of a value that was read, and ends when it is not, is moved accordingly: not before
 * the idle time after the last read that found it began; and at the latest after a while in which
 * nobody called who might have read it.
 *
 * <p>While all nodes are stopped time stands still for what they keep, and what has passed since
 * the segment was last written to may be forgotten: a value may have its whole time once more. That
 * holds also if its time was over before the stop, as long as nobody has heard of its key since:
 * there may have been no primary to end it.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Lifetimes {
  /** What is called on keys whose values end, as often as it stands here. */
  static final List<Kind> KINDS =
      List.of(
          Kind.PUT,
          Kind.PUT,
          Kind.PUT,
          Kind.PUT_IF_ABSENT,
          Kind.REPLACE,
          Kind.REMOVE,
          Kind.CONTAINS,
          Kind.GET,
          Kind.GET,
          Kind.GET,
          Kind.GET,
          Kind.GET);

  private static final long MILLI = 1_000_000L;

  /** Clocks of nodes differ: of a hundred parts of time so many may be missing, or too many. */
  private static final int CLOCKS_PERCENT = 2;

  /**
   * How much later than on time an end may be, for the primary may have been lost and the next one
   * know its time from messages that were long under way.
   */
  private static final long SLACK_NANOS = 2_000 * MILLI;

  /** How long a value lives at most, and how long without being read. */
  record Life(Duration lifespan, Duration idle) {}

  /**
   * A while that gives a value that was there when it began its time once more when it is over.
   *
   * @param isStop whether nobody could end a value meanwhile
   */
  private record Respite(long fromNanos, long untilNanos, boolean isStop) {}

  private final Map<Long, Life> lives = new HashMap<>();
  private final List<Respite> stops = new ArrayList<>();
  private final List<Suspension> suspensions = new ArrayList<>();

  /** How long a machine was suspended from a moment on. */
  private record Suspension(long fromNanos, long nanos) {}

  /** A value is going to be written that ends. */
  void limit(long value, SplittableRandom random) {
    Duration time = Duration.ofMillis(random.nextLong(1, 1L << random.nextInt(6, 14)));
    lives.put(
        value,
        random.nextInt(3) == 0
            ? new Life(CacheConfig.FOREVER, time.plusMillis(100))
            : new Life(time, CacheConfig.FOREVER));
  }

  /** How long a value lives, null for ever. */
  @Nullable Life of(long value) {
    return lives.get(value);
  }

  /** All nodes were stopped, and back at another time. */
  void stopped(long fromNanos, long untilNanos) {
    stops.add(new Respite(fromNanos, untilNanos, true));
  }

  /** A machine was suspended for so long: the time of a segment may have stood still as long. */
  void suspended(long fromNanos, long nanos) {
    suspensions.add(new Suspension(fromNanos, nanos));
  }

  /** Adds the ends of values to the history. */
  void addEnds(History history) {
    for (List<Call> calls : List.copyOf(history.byKey().values())) {
      List<Call> made = List.copyOf(calls);
      for (Call call : made) {
        Life life = lives.get(call.operation().value());
        if (life != null && call.matters()) {
          addEnd(history, made, call, life);
        }
      }
    }
  }

  private void addEnd(History history, List<Call> calls, Call write, Life life) {
    long value = write.operation().value();
    boolean idles = life.lifespan().equals(CacheConfig.FOREVER);
    long time = (idles ? life.idle() : life.lifespan()).toNanos();
    long least = time - time * CLOCKS_PERCENT / 100 - MILLI;
    long earliest = history.nanosOf(write.invoked()) + least;
    if (idles) {
      for (Call call : calls) {
        if (found(call, value)) {
          earliest = Math.max(earliest, history.nanosOf(call.invoked()) + least);
        }
      }
    }
    Operation end = Operation.end(write.operation().key(), value);
    Operation mayEnd = Operation.mayEnd(write.operation().key(), value);
    if (write.fate() == Call.Fate.OPEN) {
      history.add("time", mayEnd, history.firstFrom(earliest), 0);
      return;
    }
    if (write.operation().written(write.result()) != value) {
      return;
    }
    long returned = history.nanosOf(write.returned());
    long most = (idles ? time + time / 8 : time) * (100 + CLOCKS_PERCENT) / 100 + SLACK_NANOS;
    List<Respite> respites = new ArrayList<>(stops);
    if (idles) {
      calls.forEach(call -> respites.add(read(history, call)));
    }
    respites.sort(Comparator.comparingLong(Respite::fromNanos));
    long latest = returned + most;
    for (Respite respite : respites) {
      boolean unheard = respite.isStop && !heard(history, calls, latest, respite.fromNanos);
      if (respite.fromNanos() <= latest || unheard) {
        latest = Math.max(latest, respite.untilNanos() + most);
      }
    }
    for (Suspension suspension : suspensions) {
      // In the order they began in.
      boolean isOver = suspension.fromNanos() + suspension.nanos() < returned;
      latest += isOver || suspension.fromNanos() > latest ? 0 : suspension.nanos();
    }
    long first = history.firstFrom(earliest);
    long last = history.firstFrom(latest) - 1;
    if (first <= write.returned()) {
      history.add("time", mayEnd, first, 0);
    }
    // After the write, or it might be placed before, where it has nothing to end.
    long from = Math.max(first, write.returned() + 1);
    if (last < history.last()) {
      history.add("time", end, from, Math.max(from, last));
    } else {
      history.add("time", mayEnd, from, 0);
    }
  }

  /** Whether a call has found a value there. */
  private static boolean found(Call call, long value) {
    return call.fate() == Call.Fate.RETURNED
        && switch (call.operation().kind()) {
          case GET, PUT_IF_ABSENT -> call.result() == value;
          default -> false;
        };
  }

  /** A call that may have read a value, and noted it. */
  private static Respite read(History history, Call call) {
    boolean open = call.returned() == Long.MAX_VALUE;
    return new Respite(
        history.nanosOf(call.invoked()),
        open ? Long.MAX_VALUE / 2 : history.nanosOf(call.returned()),
        false);
  }

  /** Whether a call was made and answered between two times: who answers ends first what is due. */
  private static boolean heard(History history, List<Call> calls, long from, long until) {
    return calls.stream()
        .anyMatch(
            call ->
                call.fate() == Call.Fate.RETURNED
                    && history.nanosOf(call.invoked()) > from
                    && history.nanosOf(call.returned()) < until);
  }
}
