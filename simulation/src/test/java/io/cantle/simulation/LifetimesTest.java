package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.Lifetimes.Life;
import io.cantle.simulation.Operation.Kind;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A value that ends, and a stop of all nodes. */
final class LifetimesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long VALUE = 7;

  private final History history = new History(this::nowNanos);
  private final Lifetimes lifetimes = new Lifetimes();
  private final Life life = drawn();
  private long nowNanos;

  /** Several seconds after it was written. */
  private Life drawn() {
    SplittableRandom random = new SplittableRandom(1);
    while (true) {
      lifetimes.limit(VALUE, random);
      Life drawn = lifetimes.of(VALUE);
      if (drawn != null && nanos(drawn) > 4 * SECOND && nanos(drawn) < 100 * SECOND) {
        return drawn;
      }
    }
  }

  private static long nanos(Life some) {
    return (some.idle().compareTo(some.lifespan()) < 0 ? some.idle() : some.lifespan()).toNanos();
  }

  private long nowNanos() {
    return nowNanos;
  }

  private void written() {
    Operation put = Operation.put(1, VALUE);
    history.begin("a", put).returned(history.moment(), 0);
  }

  /** Time goes on, with moments in it. */
  private void pass(long nanos) {
    long until = nowNanos + nanos;
    while (nowNanos < until) {
      nowNanos += SECOND / 10;
      history.moment();
    }
  }

  private boolean isSeenRightly() {
    history.begin("b", Operation.get(1)).returned(history.moment(), VALUE);
    pass(100 * SECOND);
    lifetimes.addEnds(history);
    List<Call> calls = history.byKey().getOrDefault(1, List.of());
    assertThat(calls).extracting(call -> call.operation().kind()).contains(Kind.END);
    return Linearizability.check(calls, 10_000) == Linearizability.Verdict.LINEARIZABLE;
  }

  @Test
  void whatIsSeenLongAfterItsTimeIsFound() {
    written();
    pass(nanos(life) + nanos(life) / 4 + 4 * SECOND);
    assertThat(isSeenRightly()).isFalse();
  }

  @Test
  void afterAStopItMayHaveItsWholeTimeOnceMore() {
    written();
    stop();
    pass(nanos(life));
    assertThat(isSeenRightly()).isTrue();
  }

  @Test
  void afterAStopItHasItsTimeOnceAndNoMore() {
    written();
    stop();
    pass(nanos(life) + nanos(life) / 4 + 4 * SECOND);
    assertThat(isSeenRightly()).isFalse();
  }

  @Test
  void whatHasEndedBeforeAStopIsNotThereAfterIt() {
    written();
    pass(nanos(life) + nanos(life) / 4 + 4 * SECOND);
    history.begin("b", Operation.get(1)).returned(history.moment(), 0);
    stop();
    assertThat(isSeenRightly()).isFalse();
  }

  @Test
  void whereNobodyWasThereToEndItBeforeAStopItMayBeThereAfterIt() {
    written();
    pass(nanos(life) + nanos(life) / 4 + 4 * SECOND);
    stop();
    pass(nanos(life));
    assertThat(isSeenRightly()).isTrue();
  }

  private void stop() {
    pass(nanos(life) / 2);
    long began = nowNanos;
    pass(30 * SECOND);
    lifetimes.stopped(began, nowNanos);
  }
}
