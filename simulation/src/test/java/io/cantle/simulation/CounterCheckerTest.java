package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class CounterCheckerTest {

  private static ClientCall increment(long invoked, long returned, long result) {
    return new ClientCall("c", MapOperation.increment(1), invoked).recordReturn(returned, result);
  }

  private static ClientCall read(long invoked, long returned, long result) {
    return new ClientCall("c", MapOperation.get(1), invoked).recordReturn(returned, result);
  }

  @Test
  void exactCountIsAccepted() {
    assertThat(
            CounterChecker.check(
                List.of(
                    read(1, 2, 0),
                    increment(3, 8, 2),
                    increment(4, 7, 1),
                    read(5, 6, 1),
                    read(9, 10, 2))))
        .isEmpty();
  }

  @Test
  void forgottenIncrementIsFound() {
    assertThat(CounterChecker.check(List.of(increment(1, 2, 1), increment(3, 4, 2), read(5, 6, 1))))
        .anyMatch(wrong -> wrong.contains("not within 2 to 2"));
  }

  @Test
  void doubledIncrementIsFound() {
    assertThat(CounterChecker.check(List.of(increment(1, 2, 1), read(3, 4, 2))))
        .singleElement()
        .asString()
        .contains("not within 1 to 1");
  }

  @Test
  void duplicateResultsAreFound() {
    assertThat(CounterChecker.check(List.of(increment(1, 4, 1), increment(2, 3, 1))))
        .singleElement()
        .asString()
        .contains("the same was counted");
  }

  @Test
  void uncertainIncrementCountsAtMostOnce() {
    ClientCall open = new ClientCall("c", MapOperation.increment(1), 1);
    assertThat(CounterChecker.check(List.of(open, read(2, 3, 0)))).isEmpty();
    assertThat(CounterChecker.check(List.of(open, read(2, 3, 1)))).isEmpty();
    assertThat(CounterChecker.check(List.of(open, read(2, 3, 2)))).hasSize(1);
  }

  @Test
  void uncertainIncrementIsNotUndone() {
    ClientCall open = new ClientCall("c", MapOperation.increment(1), 1);
    assertThat(CounterChecker.check(List.of(open, read(2, 3, 1), read(4, 5, 0))))
        .singleElement()
        .asString()
        .contains("is less than");
  }

  @Test
  void failedIncrementMustNotCount() {
    ClientCall failed = new ClientCall("c", MapOperation.increment(1), 1);
    failed.recordFailed();
    assertThat(CounterChecker.check(List.of(failed, read(2, 3, 1)))).hasSize(1);
  }
}
