package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.Operation.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two stable keys, and k2 to k4 that change. */
final class CountsTest {
  private final History history = new History(() -> 0);
  private final Counts counts = new Counts(2, 5);

  private Call write(Operation operation, long result) {
    return history.begin("a", operation).returned(history.moment(), result);
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
  void countOfWhatIsKnownToBeThereIsAccepted() {
    write(Operation.put(2, 20), 0);
    write(Operation.put(3, 30), 0);
    write(Operation.remove(3), 30);
    told(3);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).isEmpty();
  }

  @Test
  void oneTooManyAndOneTooFewAreFound() {
    write(Operation.put(2, 20), 0);
    told(4);
    told(2);
    assertThat(counts.addReads(history))
        .hasSize(2)
        .allMatch(wrong -> wrong.endsWith("is not within 3 to 3"));
  }

  @Test
  void asManyAsCanBeSaysThatEachIsThere() {
    history.begin("a", Operation.put(2, 20));
    history.begin("a", Operation.put(4, 40));
    told(4);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).containsExactly("CONTAINS k2 1");
    assertThat(reads(3)).isEmpty();
    assertThat(reads(4)).containsExactly("CONTAINS k4 1");
  }

  @Test
  void asFewAsCanBeSaysThatNoneIsThere() {
    write(Operation.put(2, 20), 0);
    history.begin("a", Operation.remove(2));
    told(2);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).containsExactly("CONTAINS k2 0");
  }

  @Test
  void anythingBetweenSaysNothing() {
    history.begin("a", Operation.put(2, 20));
    history.begin("a", Operation.put(3, 30));
    told(3);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).isEmpty();
    assertThat(reads(3)).isEmpty();
  }

  @Test
  void writesThatOverlappedLeaveADoubt() {
    Call put = history.begin("a", Operation.put(2, 20));
    Call remove = history.begin("b", Operation.remove(2));
    put.returned(history.moment(), 0);
    remove.returned(history.moment(), 0);
    told(2);
    told(3);
    assertThat(counts.addReads(history)).isEmpty();
    assertThat(reads(2)).containsExactly("CONTAINS k2 0", "CONTAINS k2 1");
  }

  @Test
  void whatFailedChangesNothing() {
    history.begin("a", Operation.put(2, 20)).failed();
    told(3);
    assertThat(counts.addReads(history)).hasSize(1);
  }
}
