package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Uses keys 0 and 1, which are stable, and 2 and 3, which change. */
final class DeliveryCheckerTest {
  private final CallHistory history = new CallHistory(() -> 0);
  private final DeliveryChecker deliveries = new DeliveryChecker(2, 4);

  @Test
  void acceptsEachStableKeyOnce() {
    assertThat(deliveries.checkScan(scan(true, 1, 0, 3))).isEmpty();
  }

  @Test
  void refusesKeyDeliveredTwice() {
    assertThat(deliveries.checkScan(scan(true, 0, 1, 0)))
        .singleElement()
        .asString()
        .contains("k0 twice");
    assertThat(deliveries.checkScan(scan(false, 3, 3)))
        .singleElement()
        .asString()
        .contains("k3 twice");
  }

  @Test
  void refusesStableKeyLeftOut() {
    assertThat(deliveries.checkScan(scan(true, 0, 2)))
        .singleElement()
        .asString()
        .contains("left out stable k1");
  }

  @Test
  void ignoresKeysNotYetReached() {
    assertThat(deliveries.checkScan(scan(false, 0))).isEmpty();
  }

  @Test
  void refusesUnknownKey() {
    assertThat(deliveries.checkScan(scan(false, 4)))
        .singleElement()
        .asString()
        .contains("nobody wrote");
    assertThat(deliveries.checkScan(scan(false, -1))).hasSize(1);
  }

  @Test
  void refusesStableKeyWithAnotherValue() {
    RecordedScan scan = new RecordedScan("a", RecordedScan.Kind.ENTRIES, history);
    scan.recordDelivery(0, 99);
    assertThat(deliveries.checkScan(scan)).singleElement().asString().contains("another value");
  }

  @Test
  void acceptsKeyWithoutItsValue() {
    RecordedScan scan = new RecordedScan("a", RecordedScan.Kind.KEYS, history);
    scan.recordDelivery(0, RecordedScan.NOT_REPORTED);
    assertThat(deliveries.checkScan(scan)).isEmpty();
  }

  @Test
  void findsEntryLeftOutThoughPresentThroughout() {
    write(2, 50);
    RecordedScan scan = scan(true, 0, 1);
    deliveries.addReads(scan, history);
    assertThat(verdicts()).containsEntry(2, LinearizabilityChecker.Verdict.VIOLATED);
  }

  @Test
  void allowsEntryLeftOutThatWasAbsentForAMoment() {
    write(2, 50);
    RecordedScan scan = new RecordedScan("a", RecordedScan.Kind.ENTRIES, history);
    scan.recordDelivery(0, DeliveryChecker.stableValue(0));
    ClientCall remove = history.beginCall("b", MapOperation.remove(2));
    remove.recordReturn(history.moment(), 50);
    write(2, 51);
    scan.recordDelivery(1, DeliveryChecker.stableValue(1));
    scan.markComplete();
    deliveries.addReads(scan, history);
    assertThat(verdicts()).containsEntry(2, LinearizabilityChecker.Verdict.LINEARIZABLE);
  }

  @Test
  void findsDeliveryOfValueOverwrittenBefore() {
    write(2, 50);
    write(2, 51);
    RecordedScan scan = new RecordedScan("a", RecordedScan.Kind.ENTRIES, history);
    scan.recordDelivery(2, 50);
    deliveries.addReads(scan, history);
    assertThat(verdicts()).containsEntry(2, LinearizabilityChecker.Verdict.VIOLATED);
  }

  @Test
  void findsDeliveryOfKeyThatIsNotThere() {
    RecordedScan scan = new RecordedScan("a", RecordedScan.Kind.KEYS, history);
    scan.recordDelivery(3, RecordedScan.NOT_REPORTED);
    deliveries.addReads(scan, history);
    assertThat(verdicts()).containsEntry(3, LinearizabilityChecker.Verdict.VIOLATED);
  }

  private void write(int key, long value) {
    history.beginCall("b", MapOperation.put(key, value)).recordDone(history.moment());
  }

  private RecordedScan scan(boolean complete, int... keys) {
    RecordedScan scan = new RecordedScan("a", RecordedScan.Kind.ENTRIES, history);
    for (int key : keys) {
      scan.recordDelivery(key, DeliveryChecker.stableValue(key));
    }
    if (complete) {
      scan.markComplete();
    }
    return scan;
  }

  private Map<Integer, LinearizabilityChecker.Verdict> verdicts() {
    Map<Integer, LinearizabilityChecker.Verdict> verdicts = new TreeMap<>();
    for (Map.Entry<Integer, List<ClientCall>> key : history.byKey().entrySet()) {
      verdicts.put(key.getKey(), LinearizabilityChecker.check(key.getValue(), 10_000));
    }
    return verdicts;
  }
}
