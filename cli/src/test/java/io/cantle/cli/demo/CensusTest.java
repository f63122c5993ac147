package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class CensusTest {
  private final Map<FlightKey, Integer> numbers = new LinkedHashMap<>();

  CensusTest() {
    for (int i = 0; i < 100; i++) {
      numbers.put(key(i), i + 2);
    }
  }

  @Test
  void countsEachKeyOnceAndWhatWasWrong() {
    Census census = new Census(numbers);
    seeUntil(census, 98);
    census.count(key(7));
    census.count(key(7));
    census.count(key(1_000));
    assertThat(census.expected()).isEqualTo(100);
    assertThat(census.seen()).isEqualTo(98);
    assertThat(census.missing()).isEqualTo(2);
    assertThat(census.duplicates()).isEqualTo(2);
    assertThat(census.unexpected()).isEqualTo(1);
  }

  @Test
  void wantsAVictimOnlyInTheMiddle() {
    Census census = new Census(numbers);
    StringBuilder wanted = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      census.count(key(i));
      if (census.wantsVictim()) {
        wanted.append(census.seen()).append(' ');
      }
    }
    assertThat(wanted.toString()).isEqualTo("36 41 46 51 56 61 66 ");
  }

  @Test
  void picksThePrimaryOfMostUnseenKeysButNeverItself() {
    Census census = new Census(numbers);
    seeUntil(census, 40);
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
    assertThat(census.victim(owners, "node-1")).contains(new Census.Victim("node-2", 20));
    assertThat(census.victim(owners, "node-2")).contains(new Census.Victim("node-1", 30));
  }

  @Test
  void hasNoVictimWhenNobodyElseIsPrimaryOfAnUnseenKey() {
    Census census = new Census(numbers);
    seeUntil(census, 40);
    assertThat(census.victim(_ -> List.of("node-1", "node-2"), "node-1")).isEmpty();
  }

  private static void seeUntil(Census census, int count) {
    for (int i = 0; i < count; i++) {
      census.count(key(i));
    }
  }

  private static FlightKey key(int number) {
    return new FlightKey(Integer.toString(number), "EWR", LocalDateTime.of(2013, 1, 1, 5, 15));
  }
}
