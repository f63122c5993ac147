package io.cantle.simulation;

import io.cantle.CacheConfig;
import io.cantle.simulation.MapOperation.Kind;
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
 * these calls added to a history, {@link LinearizabilityChecker} finds what ended too early, what
 * was seen too late, and what came back.
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
final class LifetimeModel {
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

  private static final long MILLI_NANOS = 1_000_000L;

  /** Clocks of nodes differ: of a hundred parts of time so many may be missing, or too many. */
  private static final int CLOCKS_PERCENT = 2;

  /**
   * How much later than on time an end may be, for the primary may have been lost and the next one
   * know its time from messages that were long under way.
   */
  private static final long SLACK_NANOS = 2_000 * MILLI_NANOS;

  /** How long a value lives at most, and how long without being read. */
  record ValueLifetime(Duration lifespan, Duration idle) {}

  /**
   * A while that gives a value that was there when it began its time once more when it is over.
   *
   * @param isStop whether nobody could end a value meanwhile
   */
  private record ExpiryPause(long fromNanos, long untilNanos, boolean isStop) {}

  private final Map<Long, ValueLifetime> lives = new HashMap<>();
  private final List<ExpiryPause> stops = new ArrayList<>();
  private final List<Suspension> suspensions = new ArrayList<>();

  /** How long a machine was suspended from a moment on. */
  private record Suspension(long fromNanos, long nanos) {}

  /** A value is going to be written that ends. */
  void drawLifetime(long value, SplittableRandom random) {
    Duration time = Duration.ofMillis(random.nextLong(1, 1L << random.nextInt(6, 14)));
    lives.put(
        value,
        random.nextInt(3) == 0
            ? new ValueLifetime(CacheConfig.FOREVER, time.plusMillis(100))
            : new ValueLifetime(time, CacheConfig.FOREVER));
  }

  /** How long a value lives, null for ever. */
  @Nullable ValueLifetime lifetimeOf(long value) {
    return lives.get(value);
  }

  /** All nodes were stopped, and back at another time. */
  void recordStop(long fromNanos, long untilNanos) {
    stops.add(new ExpiryPause(fromNanos, untilNanos, true));
  }

  /** A machine was suspended for so long: the time of a segment may have stood still as long. */
  void recordSuspension(long fromNanos, long nanos) {
    suspensions.add(new Suspension(fromNanos, nanos));
  }

  /** Adds the ends of values to the history. */
  void addEnds(CallHistory history) {
    for (List<ClientCall> calls : List.copyOf(history.byKey().values())) {
      List<ClientCall> made = List.copyOf(calls);
      for (ClientCall call : made) {
        ValueLifetime life = lives.get(call.operation().value());
        if (life != null && call.isRelevant()) {
          addEnd(history, made, call, life);
        }
      }
    }
  }

  private void addEnd(
      CallHistory history, List<ClientCall> calls, ClientCall write, ValueLifetime life) {
    long value = write.operation().value();
    boolean idles = life.lifespan().equals(CacheConfig.FOREVER);
    long time = (idles ? life.idle() : life.lifespan()).toNanos();
    long minNanos = time - time * CLOCKS_PERCENT / 100 - MILLI_NANOS;
    long earliest = history.nanosAt(write.invoked()) + minNanos;
    if (idles) {
      for (ClientCall call : calls) {
        if (wasFound(call, value)) {
          earliest = Math.max(earliest, history.nanosAt(call.invoked()) + minNanos);
        }
      }
    }
    MapOperation end = MapOperation.expire(write.operation().key(), value);
    MapOperation mayEnd = MapOperation.mayExpire(write.operation().key(), value);
    if (write.fate() == ClientCall.CallOutcome.OPEN) {
      history.add("time", mayEnd, history.firstMomentFrom(earliest), 0);
      return;
    }
    if (write.operation().writtenValue(write.result()) != value) {
      return;
    }
    long returned = history.nanosAt(write.returnedAt());
    long maxNanos = (idles ? time + time / 8 : time) * (100 + CLOCKS_PERCENT) / 100 + SLACK_NANOS;
    List<ExpiryPause> respites = new ArrayList<>(stops);
    if (idles) {
      calls.forEach(call -> respites.add(read(history, call)));
    }
    respites.sort(Comparator.comparingLong(ExpiryPause::fromNanos));
    long latest = returned + maxNanos;
    for (ExpiryPause respite : respites) {
      boolean unheard = respite.isStop && !wasReported(history, calls, latest, respite.fromNanos);
      if (respite.fromNanos() <= latest || unheard) {
        latest = Math.max(latest, respite.untilNanos() + maxNanos);
      }
    }
    for (Suspension suspension : suspensions) {
      // In the order they began in.
      boolean isOver = suspension.fromNanos() + suspension.nanos() < returned;
      latest += isOver || suspension.fromNanos() > latest ? 0 : suspension.nanos();
    }
    long first = history.firstMomentFrom(earliest);
    long last = history.firstMomentFrom(latest) - 1;
    if (first <= write.returnedAt()) {
      history.add("time", mayEnd, first, 0);
    }
    // After the write, or it might be placed before, where it has nothing to end.
    long from = Math.max(first, write.returnedAt() + 1);
    if (last < history.lastMoment()) {
      history.add("time", end, from, Math.max(from, last));
    } else {
      history.add("time", mayEnd, from, 0);
    }
  }

  /** Whether a call has found a value there. */
  private static boolean wasFound(ClientCall call, long value) {
    return call.fate() == ClientCall.CallOutcome.RETURNED
        && switch (call.operation().kind()) {
          case GET, PUT_IF_ABSENT -> call.result() == value;
          default -> false;
        };
  }

  /** A call that may have read a value, and noted it. */
  private static ExpiryPause read(CallHistory history, ClientCall call) {
    boolean open = call.returnedAt() == Long.MAX_VALUE;
    return new ExpiryPause(
        history.nanosAt(call.invoked()),
        open ? Long.MAX_VALUE / 2 : history.nanosAt(call.returnedAt()),
        false);
  }

  /** Whether a call was made and answered between two times: who answers ends first what is due. */
  private static boolean wasReported(
      CallHistory history, List<ClientCall> calls, long from, long until) {
    return calls.stream()
        .anyMatch(
            call ->
                call.fate() == ClientCall.CallOutcome.RETURNED
                    && history.nanosAt(call.invoked()) > from
                    && history.nanosAt(call.returnedAt()) < until);
  }
}
