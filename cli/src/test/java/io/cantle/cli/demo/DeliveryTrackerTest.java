package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class DeliveryTrackerTest {
  private final Map<FlightKey, Integer> numbers = new LinkedHashMap<>();

  DeliveryTrackerTest() {
    for (int i = 0; i < 100; i++) {
      numbers.put(key(i), i + 2);
    }
  }

  @Test
  void countsKeysDuplicatesAndUnexpectedKeys() {
    DeliveryTracker tracker = new DeliveryTracker(numbers);
    seeUntil(tracker, 98);
    tracker.recordDelivery(key(7));
    tracker.recordDelivery(key(7));
    tracker.recordDelivery(key(1_000));
    assertThat(tracker.expectedCount()).isEqualTo(100);
    assertThat(tracker.seenCount()).isEqualTo(98);
    assertThat(tracker.missingCount()).isEqualTo(2);
    assertThat(tracker.duplicateCount()).isEqualTo(2);
    assertThat(tracker.unexpectedCount()).isEqualTo(1);
  }

  @Test
  void victimIsDueOnlyInTheMiddle() {
    DeliveryTracker tracker = new DeliveryTracker(numbers);
    StringBuilder wanted = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      tracker.recordDelivery(key(i));
      if (tracker.isVictimDue()) {
        wanted.append(tracker.seenCount()).append(' ');
      }
    }
    assertThat(wanted.toString()).isEqualTo("36 41 46 51 56 61 66 ");
  }

  @Test
  void choosesPrimaryOfMostUnseenKeysExceptItself() {
    DeliveryTracker tracker = new DeliveryTracker(numbers);
    seeUntil(tracker, 40);
    // Of the 60 unseen keys 30 are node-1's, 20 node-2's and 10 node-3's.
    Function<FlightKey, List<String>> owners =
        key -> {
          int number = Integer.parseInt(key.flight());
          return number < 10 || number >= 70
              ? List.of("node-1", "node-3")
              : number < 40 || number >= 60
                  ? List.of("node-3", "node-2")
                  : List.of("node-2", "node-1");
        };
    assertThat(tracker.chooseVictim(owners, "node-1"))
        .contains(new DeliveryTracker.Victim("node-2", 20));
    assertThat(tracker.chooseVictim(owners, "node-2"))
        .contains(new DeliveryTracker.Victim("node-1", 30));
  }

  @Test
  void hasNoVictimWhenNobodyElseIsPrimaryOfAnUnseenKey() {
    DeliveryTracker tracker = new DeliveryTracker(numbers);
    seeUntil(tracker, 40);
    assertThat(tracker.chooseVictim(_ -> List.of("node-1", "node-2"), "node-1")).isEmpty();
  }

  private static void seeUntil(DeliveryTracker tracker, int count) {
    for (int i = 0; i < count; i++) {
      tracker.recordDelivery(key(i));
    }
  }

  private static FlightKey key(int number) {
    return new FlightKey(Integer.toString(number), "EWR", LocalDateTime.of(2013, 1, 1, 5, 15));
  }
}
