package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Keys 0 and 1 are stable, 2 and 3 change. */
final class DeliveriesTest {
  private final History history = new History(() -> 0);
  private final Deliveries deliveries = new Deliveries(2, 4);

  @Test
  void acceptsEachStableKeyOnce() {
    assertThat(deliveries.check(scan(true, 1, 0, 3))).isEmpty();
  }

  @Test
  void refusesKeyDeliveredTwice() {
    assertThat(deliveries.check(scan(true, 0, 1, 0)))
        .singleElement()
        .asString()
        .contains("k0 twice");
    assertThat(deliveries.check(scan(false, 3, 3))).singleElement().asString().contains("k3 twice");
  }

  @Test
  void refusesStableKeyLeftOut() {
    assertThat(deliveries.check(scan(true, 0, 2)))
        .singleElement()
        .asString()
        .contains("left out stable k1");
  }

  @Test
  void asksNothingOfWhatWasNotReachedYet() {
    assertThat(deliveries.check(scan(false, 0))).isEmpty();
  }

  @Test
  void refusesUnknownKey() {
    assertThat(deliveries.check(scan(false, 4)))
        .singleElement()
        .asString()
        .contains("nobody wrote");
    assertThat(deliveries.check(scan(false, -1))).hasSize(1);
  }

  @Test
  void refusesStableKeyWithAnotherValue() {
    Scan scan = new Scan("a", Scan.Kind.ENTRIES, history);
    scan.deliver(0, 99);
    assertThat(deliveries.check(scan)).singleElement().asString().contains("another value");
  }

  @Test
  void acceptsKeyWithoutItsValue() {
    Scan scan = new Scan("a", Scan.Kind.KEYS, history);
    scan.deliver(0, Scan.UNTOLD);
    assertThat(deliveries.check(scan)).isEmpty();
  }

  @Test
  void findsEntryLeftOutThoughPresentThroughout() {
    write(2, 50);
    Scan scan = scan(true, 0, 1);
    deliveries.addReads(scan, history);
    assertThat(verdicts()).containsEntry(2, Linearizability.Verdict.VIOLATED);
  }

  @Test
  void allowsEntryLeftOutThatWasAbsentForAMoment() {
    write(2, 50);
    Scan scan = new Scan("a", Scan.Kind.ENTRIES, history);
    scan.deliver(0, Deliveries.stableValue(0));
    Call remove = history.begin("b", Operation.remove(2));
    remove.returned(history.moment(), 50);
    write(2, 51);
    scan.deliver(1, Deliveries.stableValue(1));
    scan.complete();
    deliveries.addReads(scan, history);
    assertThat(verdicts()).containsEntry(2, Linearizability.Verdict.LINEARIZABLE);
  }

  @Test
  void findsDeliveryOfValueOverwrittenBefore() {
    write(2, 50);
    write(2, 51);
    Scan scan = new Scan("a", Scan.Kind.ENTRIES, history);
    scan.deliver(2, 50);
    deliveries.addReads(scan, history);
    assertThat(verdicts()).containsEntry(2, Linearizability.Verdict.VIOLATED);
  }

  @Test
  void findsDeliveryOfKeyThatIsNotThere() {
    Scan scan = new Scan("a", Scan.Kind.KEYS, history);
    scan.deliver(3, Scan.UNTOLD);
    deliveries.addReads(scan, history);
    assertThat(verdicts()).containsEntry(3, Linearizability.Verdict.VIOLATED);
  }

  private void write(int key, long value) {
    history.begin("b", Operation.put(key, value)).done(history.moment());
  }

  private Scan scan(boolean complete, int... keys) {
    Scan scan = new Scan("a", Scan.Kind.ENTRIES, history);
    for (int key : keys) {
      scan.deliver(key, Deliveries.stableValue(key));
    }
    if (complete) {
      scan.complete();
    }
    return scan;
  }

  private Map<Integer, Linearizability.Verdict> verdicts() {
    Map<Integer, Linearizability.Verdict> verdicts = new TreeMap<>();
    for (Map.Entry<Integer, List<Call>> key : history.byKey().entrySet()) {
      verdicts.put(key.getKey(), Linearizability.check(key.getValue(), 10_000));
    }
    return verdicts;
  }
}
