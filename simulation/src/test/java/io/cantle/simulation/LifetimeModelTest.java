package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.LifetimeModel.ValueLifetime;
import io.cantle.simulation.MapOperation.Kind;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Uses a value that expires, and a stop of all nodes. */
final class LifetimeModelTest {
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long VALUE = 7;

  private final CallHistory history = new CallHistory(this::nowNanos);
  private final LifetimeModel lifetimes = new LifetimeModel();
  private final ValueLifetime life = drawnLifetime();
  private long nowNanos;

  /** Returns the lifetime of a value, several seconds after it was written. */
  private ValueLifetime drawnLifetime() {
    SplittableRandom random = new SplittableRandom(1);
    while (true) {
      lifetimes.drawLifetime(VALUE, random);
      ValueLifetime drawn = lifetimes.lifetimeOf(VALUE);
      if (drawn != null && nanos(drawn) > 4 * SECOND_NANOS && nanos(drawn) < 100 * SECOND_NANOS) {
        return drawn;
      }
    }
  }

  private static long nanos(ValueLifetime some) {
    return (some.idle().compareTo(some.lifespan()) < 0 ? some.idle() : some.lifespan()).toNanos();
  }

  private long nowNanos() {
    return nowNanos;
  }

  private void written() {
    MapOperation put = MapOperation.put(1, VALUE);
    history.beginCall("a", put).recordReturn(history.moment(), 0);
  }

  /** Advances the time, and takes moments in it. */
  private void advanceTime(long nanos) {
    long until = nowNanos + nanos;
    while (nowNanos < until) {
      nowNanos += SECOND_NANOS / 10;
      history.moment();
    }
  }

  private boolean isSeenRightly() {
    history.beginCall("b", MapOperation.get(1)).recordReturn(history.moment(), VALUE);
    advanceTime(100 * SECOND_NANOS);
    lifetimes.addEnds(history);
    List<ClientCall> calls = history.byKey().getOrDefault(1, List.of());
    assertThat(calls).extracting(call -> call.operation().kind()).contains(Kind.END);
    return LinearizabilityChecker.check(calls, 10_000)
        == LinearizabilityChecker.Verdict.LINEARIZABLE;
  }

  @Test
  void valueSeenLongAfterItsLifetimeIsFound() {
    written();
    advanceTime(nanos(life) + nanos(life) / 4 + 4 * SECOND_NANOS);
    assertThat(isSeenRightly()).isFalse();
  }

  @Test
  void lifetimeMayRestartAfterAStop() {
    written();
    stop();
    advanceTime(nanos(life));
    assertThat(isSeenRightly()).isTrue();
  }

  @Test
  void lifetimeRestartsAtMostOnceAfterAStop() {
    written();
    stop();
    advanceTime(nanos(life) + nanos(life) / 4 + 4 * SECOND_NANOS);
    assertThat(isSeenRightly()).isFalse();
  }

  @Test
  void valueExpiredBeforeAStopStaysExpired() {
    written();
    advanceTime(nanos(life) + nanos(life) / 4 + 4 * SECOND_NANOS);
    history.beginCall("b", MapOperation.get(1)).recordReturn(history.moment(), 0);
    stop();
    assertThat(isSeenRightly()).isFalse();
  }

  @Test
  void valueNobodyCouldExpireBeforeAStopMayReturn() {
    written();
    advanceTime(nanos(life) + nanos(life) / 4 + 4 * SECOND_NANOS);
    stop();
    advanceTime(nanos(life));
    assertThat(isSeenRightly()).isTrue();
  }

  private void stop() {
    advanceTime(nanos(life) / 2);
    long began = nowNanos;
    advanceTime(30 * SECOND_NANOS);
    lifetimes.recordStop(began, nowNanos);
  }
}
