package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.Operation.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SessionOrderTest {

  private static Call call(String client, Operation operation, long invoked, long result) {
    return new Call(client, operation, invoked).returned(invoked + 1, result);
  }

  @Test
  void timeThatGoesForwardIsAccepted() {
    assertThat(
            SessionOrder.check(
                List.of(
                    call("a", Operation.put(1, 10), 1, 0),
                    call("a", Operation.get(1), 3, 10),
                    call("b", Operation.put(1, 11), 5, 10),
                    call("a", Operation.get(1), 7, 11),
                    call("a", Operation.remove(1), 9, 11),
                    call("a", Operation.get(1), 11, 0),
                    call("a", new Operation(Kind.REPLACE_IF, 1, 10, 12), 13, 0))))
        .isEmpty();
  }

  @Test
  void oldValueSeenAgainIsFound() {
    assertThat(
            SessionOrder.check(
                List.of(
                    call("a", Operation.get(1), 1, 10),
                    call("a", Operation.get(1), 3, 11),
                    call("a", Operation.get(1), 5, 10))))
        .singleElement()
        .asString()
        .contains("seen replaced");
  }

  @Test
  void anotherClientMayBeBehindAsFarAsThisGoes() {
    assertThat(
            SessionOrder.check(
                List.of(
                    call("a", Operation.get(1), 1, 10),
                    call("a", Operation.get(1), 3, 11),
                    call("b", Operation.get(1), 5, 10))))
        .isEmpty();
  }

  @Test
  void ownWriteThatDoesNotShowIsFound() {
    assertThat(
            SessionOrder.check(
                List.of(
                    call("b", Operation.put(1, 10), 1, 0),
                    call("a", Operation.put(1, 11), 3, 10),
                    call("a", Operation.get(1), 5, 10))))
        .anyMatch(wrong -> wrong.contains("own write"));
  }

  @Test
  void removedValueThatComesBackIsFound() {
    assertThat(
            SessionOrder.check(
                List.of(
                    call("b", Operation.put(1, 10), 1, 0),
                    call("a", Operation.remove(1), 3, 10),
                    call("a", Operation.get(1), 5, 10))))
        .isNotEmpty();
  }
}
