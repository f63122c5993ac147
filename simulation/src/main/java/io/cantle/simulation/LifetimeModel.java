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
 * A model of when the values that clients wrote may and must expire. Expiry is modelled as a call
 * that no client made, which removes the value if it is still there. It may happen once the
 * shortest time after the beginning of the write has passed. It must have happened the longest time
 * after the write returned. With these calls added to a history, {@link LinearizabilityChecker}
 * finds values that expired too early, were seen too late, or came back.
 *
 * <p>If a value expires when it is not read, a read that found it postpones its expiry. The value
 * does not expire before the idle time after the beginning of the last such read. It expires at the
 * latest after a time without a call that might have read it.
 *
 * <p>While all nodes are stopped, time stands still for the data in their stores. What has passed
 * since the last write to the segment may be forgotten, so a value may live its whole time once
 * more. That also holds if its time was over before the stop, as long as no call has reported its
 * key since: there may have been no primary to expire it.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class LifetimeModel {
  /** The calls on keys whose values expire. A kind is drawn as often as it is listed here. */
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

  /** The clocks of nodes differ. Measured time may be too short or too long by this percentage. */
  private static final int CLOCKS_PERCENT = 2;

  /**
   * How late an expiry may be. The primary may have been lost, and the next one knows its time only
   * from messages that were delayed for long.
   */
  private static final long SLACK_NANOS = 2_000 * MILLI_NANOS;

  /** How long a value lives at most, and how long it lives without being read. */
  record ValueLifetime(Duration lifespan, Duration idle) {}

  /**
   * A period that, once over, gives each value present at its beginning its whole lifetime again.
   *
   * @param isStop whether nobody could expire a value meanwhile
   */
  private record ExpiryPause(long fromNanos, long untilNanos, boolean isStop) {}

  private final Map<Long, ValueLifetime> lives = new HashMap<>();
  private final List<ExpiryPause> stops = new ArrayList<>();
  private final List<Suspension> suspensions = new ArrayList<>();

  /** A suspension of a machine, which lasted this long from a moment on. */
  private record Suspension(long fromNanos, long nanos) {}

  /** Draws the lifetime of a value that is going to be written. */
  void drawLifetime(long value, SplittableRandom random) {
    Duration time = Duration.ofMillis(random.nextLong(1, 1L << random.nextInt(6, 14)));
    lives.put(
        value,
        random.nextInt(3) == 0
            ? new ValueLifetime(CacheConfig.FOREVER, time.plusMillis(100))
            : new ValueLifetime(time, CacheConfig.FOREVER));
  }

  /** Returns how long a value lives, or null if it never expires. */
  @Nullable ValueLifetime lifetimeOf(long value) {
    return lives.get(value);
  }

  /** Records that all nodes were stopped and later restarted. */
  void recordStop(long fromNanos, long untilNanos) {
    stops.add(new ExpiryPause(fromNanos, untilNanos, true));
  }

  /** Records that a machine was suspended. The clock of a segment may have stood still as long. */
  void recordSuspension(long fromNanos, long nanos) {
    suspensions.add(new Suspension(fromNanos, nanos));
  }

  /** Adds the expiry of values to the history. */
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
      calls.forEach(call -> respites.add(pauseOfRead(history, call)));
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
      // The suspensions are in the order in which they began.
      boolean isOver = suspension.fromNanos() + suspension.nanos() < returned;
      latest += isOver || suspension.fromNanos() > latest ? 0 : suspension.nanos();
    }
    long first = history.firstMomentFrom(earliest);
    long last = history.firstMomentFrom(latest) - 1;
    if (first <= write.returnedAt()) {
      history.add("time", mayEnd, first, 0);
    }
    // Placed after the write. Otherwise it might be placed before the write, where it has nothing
    // to expire.
    long from = Math.max(first, write.returnedAt() + 1);
    if (last < history.lastMoment()) {
      history.add("time", end, from, Math.max(from, last));
    } else {
      history.add("time", mayEnd, from, 0);
    }
  }

  /** Returns whether a call found a value there. */
  private static boolean wasFound(ClientCall call, long value) {
    return call.fate() == ClientCall.CallOutcome.RETURNED
        && switch (call.operation().kind()) {
          case GET, PUT_IF_ABSENT -> call.result() == value;
          default -> false;
        };
  }

  /** Returns the pause caused by a call that may have read a value and recorded the read. */
  private static ExpiryPause pauseOfRead(CallHistory history, ClientCall call) {
    boolean open = call.returnedAt() == Long.MAX_VALUE;
    return new ExpiryPause(
        history.nanosAt(call.invoked()),
        open ? Long.MAX_VALUE / 2 : history.nanosAt(call.returnedAt()),
        false);
  }

  /**
   * Returns whether a call was made and answered between two times. A node that answers expires
   * first what is due.
   */
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
