package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.MapOperation.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SessionGuaranteeCheckerTest {

  private static ClientCall call(String client, MapOperation operation, long invoked, long result) {
    return new ClientCall(client, operation, invoked).recordReturn(invoked + 1, result);
  }

  @Test
  void monotonicReadsAreAccepted() {
    assertThat(
            SessionGuaranteeChecker.check(
                List.of(
                    call("a", MapOperation.put(1, 10), 1, 0),
                    call("a", MapOperation.get(1), 3, 10),
                    call("b", MapOperation.put(1, 11), 5, 10),
                    call("a", MapOperation.get(1), 7, 11),
                    call("a", MapOperation.remove(1), 9, 11),
                    call("a", MapOperation.get(1), 11, 0),
                    call("a", new MapOperation(Kind.REPLACE_IF, 1, 10, 12), 13, 0))))
        .isEmpty();
  }

  @Test
  void nonMonotonicReadIsFound() {
    assertThat(
            SessionGuaranteeChecker.check(
                List.of(
                    call("a", MapOperation.get(1), 1, 10),
                    call("a", MapOperation.get(1), 3, 11),
                    call("a", MapOperation.get(1), 5, 10))))
        .singleElement()
        .asString()
        .contains("seen replaced");
  }

  @Test
  void otherClientsMayLagBehind() {
    assertThat(
            SessionGuaranteeChecker.check(
                List.of(
                    call("a", MapOperation.get(1), 1, 10),
                    call("a", MapOperation.get(1), 3, 11),
                    call("b", MapOperation.get(1), 5, 10))))
        .isEmpty();
  }

  @Test
  void missingOwnWriteIsFound() {
    assertThat(
            SessionGuaranteeChecker.check(
                List.of(
                    call("b", MapOperation.put(1, 10), 1, 0),
                    call("a", MapOperation.put(1, 11), 3, 10),
                    call("a", MapOperation.get(1), 5, 10))))
        .anyMatch(wrong -> wrong.contains("own write"));
  }

  @Test
  void returningRemovedValueIsFound() {
    assertThat(
            SessionGuaranteeChecker.check(
                List.of(
                    call("b", MapOperation.put(1, 10), 1, 0),
                    call("a", MapOperation.remove(1), 3, 10),
                    call("a", MapOperation.get(1), 5, 10))))
        .isNotEmpty();
  }
}
