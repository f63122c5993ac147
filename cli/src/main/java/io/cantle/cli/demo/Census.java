package io.cantle.cli.demo;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Checks off what an iteration delivers against the keys it has to deliver, and finds the node
 * whose death would hurt the iteration most.
 *
 * <p><b>Threading:</b> one thread, the one that iterates.
 */
final class Census {
  // A node is killed in this part of the iteration, else not at all: before, the iteration has
  // hardly begun; after, there may be nothing left to lose.
  private static final int EARLIEST_PERCENT = 36;
  private static final int LATEST_PERCENT = 70;
  private static final int NEXT_TRY_PERCENT = 5;

  private final Map<FlightKey, Integer> numbers;
  private final BitSet seen = new BitSet();
  private long seenCount;
  private long duplicates;
  private long unexpected;
  private int nextTryPercent = EARLIEST_PERCENT;

  /**
   * Nothing seen yet.
   *
   * @param numbers the keys to be delivered, each with a number of its own, not negative
   */
  Census(Map<FlightKey, Integer> numbers) {
    this.numbers = numbers;
  }

  /** Checks off one delivered key. */
  void count(FlightKey key) {
    Integer number = numbers.get(key);
    if (number == null) {
      unexpected++;
    } else if (seen.get(number)) {
      duplicates++;
    } else {
      seen.set(number);
      seenCount++;
    }
  }

  long expected() {
    return numbers.size();
  }

  /** Keys delivered at least once. */
  long seen() {
    return seenCount;
  }

  /** Deliveries beyond the first of a key. */
  long duplicates() {
    return duplicates;
  }

  /** Deliveries of keys nobody loaded. */
  long unexpected() {
    return unexpected;
  }

  long missing() {
    return numbers.size() - seenCount;
  }

  /** Says whether it is time to look for a victim; after a vain look, only some way further on. */
  boolean wantsVictim() {
    long percent = 100 * seenCount / numbers.size();
    if (percent < nextTryPercent || percent > LATEST_PERCENT) {
      return false;
    }
    nextTryPercent += NEXT_TRY_PERCENT;
    return true;
  }

  /**
   * The node that is primary of most keys not seen yet.
   *
   * @param owners the names of a key's owners, primary first
   * @param self is never the victim, as it iterates
   */
  Optional<Victim> victim(Function<FlightKey, List<String>> owners, String self) {
    Map<String, Integer> unseenByPrimary = new HashMap<>();
    numbers.forEach(
        (key, number) -> {
          if (!seen.get(number)) {
            unseenByPrimary.merge(owners.apply(key).getFirst(), 1, Integer::sum);
          }
        });
    unseenByPrimary.remove(self);
    return unseenByPrimary.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(most -> new Victim(most.getKey(), most.getValue()));
  }

  /**
   * A node to kill.
   *
   * @param node its name
   * @param unseenKeys how many keys it is primary of that the iteration has not delivered yet
   */
  record Victim(String node, int unseenKeys) {}
}
