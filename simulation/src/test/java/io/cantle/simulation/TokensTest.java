package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.Operation.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TokensTest {

  private static Call call(Operation operation, long invoked, long returned, long result) {
    return new Call("c", operation, invoked).returned(returned, result);
  }

  @Test
  void eachValueMayBeTakenOnce() {
    List<Call> good =
        List.of(
            call(Operation.put(1, 10), 1, 2, 0),
            call(Operation.put(1, 11), 3, 4, 10),
            call(Operation.remove(1), 5, 6, 11),
            call(Operation.remove(1), 7, 8, 0));
    assertThat(Tokens.check(good)).isEmpty();
  }

  @Test
  void twoThatTookTheSameAreFound() {
    List<Call> bad =
        List.of(
            call(Operation.put(1, 10), 1, 2, 0),
            call(Operation.remove(1), 3, 6, 10),
            call(new Operation(Kind.REMOVE_IF, 1, 10, 0), 4, 5, 1));
    assertThat(Tokens.check(bad)).singleElement().asString().contains("one value was taken by");
  }

  @Test
  void whatFailedToBeWrittenMustNotShow() {
    Call failed = new Call("c", Operation.put(1, 10), 1);
    failed.failed();
    assertThat(Tokens.check(List.of(failed, call(Operation.get(1), 3, 4, 10))))
        .singleElement()
        .asString()
        .contains("failed to be written");
  }

  @Test
  void whatWasRefusedToBeWrittenMustNotShow() {
    Call refused = call(new Operation(Kind.PUT_IF_ABSENT, 1, 0, 10), 1, 2, 9);
    List<Call> calls =
        List.of(call(Operation.put(1, 9), 0, 1, 0), refused, call(Operation.get(1), 3, 4, 10));
    assertThat(Tokens.check(calls)).singleElement().asString().contains("refused to be written");
  }

  @Test
  void whatIsWrittenLaterMustNotShow() {
    List<Call> calls =
        List.of(call(Operation.get(1), 1, 2, 10), call(Operation.put(1, 10), 3, 4, 10));
    assertThat(Tokens.check(calls)).anyMatch(wrong -> wrong.contains("only later"));
  }

  @Test
  void whatNobodyWroteMustNotShow() {
    assertThat(Tokens.check(List.of(call(Operation.get(1), 1, 2, 10))))
        .singleElement()
        .asString()
        .contains("nobody wrote");
  }

  @Test
  void openWriteMayShowOrNot() {
    Call open = new Call("c", Operation.put(1, 10), 1);
    assertThat(Tokens.check(List.of(open, call(Operation.get(1), 3, 4, 0)))).isEmpty();
    assertThat(Tokens.check(List.of(open, call(Operation.get(1), 3, 4, 10)))).isEmpty();
  }
}
