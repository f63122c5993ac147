package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.MapOperation.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Uses two stable keys, and k2 to k4, which change. */
final class CountCheckerTest {
  private final CallHistory history = new CallHistory(() -> 0);
  private final CountChecker counts = new CountChecker(2, 5);

  private ClientCall write(MapOperation operation, long result) {
    return history.beginCall("a", operation).recordReturn(history.moment(), result);
  }

  private void told(long count) {
    long began = history.moment();
    counts.add("b", began, history.moment(), count);
  }

  private List<String> reads(int key) {
    return history.byKey().getOrDefault(key, List.of()).stream()
        .filter(call -> call.operation().kind() == Kind.CONTAINS)
        .map(call -> call.operation() + " " + call.result())
        .toList();
  }

  @Test
  void countOfPresentKeysIsAccepted() {
    write(MapOperation.put(2, 20), 0);
    write(MapOperation.put(3, 30), 0);
    write(MapOperation.remove(3), 30);
    told(3);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).isEmpty();
  }

  @Test
  void oneTooManyAndOneTooFewAreFound() {
    write(MapOperation.put(2, 20), 0);
    told(4);
    told(2);
    assertThat(counts.addReads(history))
        .hasSize(2)
        .allMatch(wrong -> wrong.endsWith("is not within 3 to 3"));
  }

  @Test
  void maximumCountImpliesPresence() {
    history.beginCall("a", MapOperation.put(2, 20));
    history.beginCall("a", MapOperation.put(4, 40));
    told(4);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).containsExactly("CONTAINS k2 1");
    assertThat(reads(3)).isEmpty();
    assertThat(reads(4)).containsExactly("CONTAINS k4 1");
  }

  @Test
  void minimumCountImpliesAbsence() {
    write(MapOperation.put(2, 20), 0);
    history.beginCall("a", MapOperation.remove(2));
    told(2);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).containsExactly("CONTAINS k2 0");
  }

  @Test
  void intermediateCountImpliesNothing() {
    history.beginCall("a", MapOperation.put(2, 20));
    history.beginCall("a", MapOperation.put(3, 30));
    told(3);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).isEmpty();
    assertThat(reads(3)).isEmpty();
  }

  @Test
  void overlappingWritesLeaveUncertainty() {
    ClientCall put = history.beginCall("a", MapOperation.put(2, 20));
    ClientCall remove = history.beginCall("b", MapOperation.remove(2));
    put.recordReturn(history.moment(), 0);
    remove.recordReturn(history.moment(), 0);
    told(2);
    told(3);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).containsExactly("CONTAINS k2 0", "CONTAINS k2 1");
  }

  @Test
  void failedWritesChangeNothing() {
    history.beginCall("a", MapOperation.put(2, 20)).recordFailed();
    told(3);
    assertThat(counts.addReads(history)).hasSize(1);
  }
}
