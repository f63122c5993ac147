package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.MapOperation.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UniqueValueCheckerTest {

  private static ClientCall call(MapOperation operation, long invoked, long returned, long result) {
    return new ClientCall("c", operation, invoked).recordReturn(returned, result);
  }

  @Test
  void eachValueMayBeTakenOnce() {
    List<ClientCall> good =
        List.of(
            call(MapOperation.put(1, 10), 1, 2, 0),
            call(MapOperation.put(1, 11), 3, 4, 10),
            call(MapOperation.remove(1), 5, 6, 11),
            call(MapOperation.remove(1), 7, 8, 0));
    assertThat(UniqueValueChecker.check(good)).isEmpty();
  }

  @Test
  void valueTakenTwiceIsFound() {
    List<ClientCall> bad =
        List.of(
            call(MapOperation.put(1, 10), 1, 2, 0),
            call(MapOperation.remove(1), 3, 6, 10),
            call(new MapOperation(Kind.REMOVE_IF, 1, 10, 0), 4, 5, 1));
    assertThat(UniqueValueChecker.check(bad))
        .singleElement()
        .asString()
        .contains("one value was taken by");
  }

  @Test
  void failedWriteMustNotBeSeen() {
    ClientCall failed = new ClientCall("c", MapOperation.put(1, 10), 1);
    failed.recordFailed();
    assertThat(UniqueValueChecker.check(List.of(failed, call(MapOperation.get(1), 3, 4, 10))))
        .singleElement()
        .asString()
        .contains("failed to be written");
  }

  @Test
  void refusedWriteMustNotBeSeen() {
    ClientCall refused = call(new MapOperation(Kind.PUT_IF_ABSENT, 1, 0, 10), 1, 2, 9);
    List<ClientCall> calls =
        List.of(
            call(MapOperation.put(1, 9), 0, 1, 0), refused, call(MapOperation.get(1), 3, 4, 10));
    assertThat(UniqueValueChecker.check(calls))
        .singleElement()
        .asString()
        .contains("refused to be written");
  }

  @Test
  void laterWriteMustNotBeSeen() {
    List<ClientCall> calls =
        List.of(call(MapOperation.get(1), 1, 2, 10), call(MapOperation.put(1, 10), 3, 4, 10));
    assertThat(UniqueValueChecker.check(calls)).anyMatch(wrong -> wrong.contains("only later"));
  }

  @Test
  void unwrittenValueMustNotBeSeen() {
    assertThat(UniqueValueChecker.check(List.of(call(MapOperation.get(1), 1, 2, 10))))
        .singleElement()
        .asString()
        .contains("nobody wrote");
  }

  @Test
  void openWriteMayBeSeen() {
    ClientCall open = new ClientCall("c", MapOperation.put(1, 10), 1);
    assertThat(UniqueValueChecker.check(List.of(open, call(MapOperation.get(1), 3, 4, 0))))
        .isEmpty();
    assertThat(UniqueValueChecker.check(List.of(open, call(MapOperation.get(1), 3, 4, 10))))
        .isEmpty();
  }
}
