package io.cantle.cli.demo;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Compares what an iteration delivers with the keys it has to deliver, and chooses the node whose
 * death would hurt the iteration most.
 *
 * <p><b>Threading:</b> one thread, the one that iterates.
 */
final class DeliveryTracker {
  // A node is killed only in this part of the iteration. Before, the iteration has hardly begun;
  // after, there may be nothing left to lose.
  private static final int MIN_VICTIM_PERCENT = 36;
  private static final int MAX_VICTIM_PERCENT = 70;
  private static final int RETRY_STEP_PERCENT = 5;

  private final Map<FlightKey, Integer> numbersByKey;
  private final BitSet seenKeys = new BitSet();
  private long seenCount;
  private long duplicates;
  private long unexpected;
  private int nextTryPercent = MIN_VICTIM_PERCENT;

  /**
   * Creates a tracker that has seen nothing yet.
   *
   * @param numbersByKey the keys to be delivered, each with a number of its own, not negative
   */
  DeliveryTracker(Map<FlightKey, Integer> numbersByKey) {
    this.numbersByKey = numbersByKey;
  }

  /** Records one delivered key. */
  void recordDelivery(FlightKey key) {
    Integer number = numbersByKey.get(key);
    if (number == null) {
      unexpected++;
    } else if (seenKeys.get(number)) {
      duplicates++;
    } else {
      seenKeys.set(number);
      seenCount++;
    }
  }

  long expectedCount() {
    return numbersByKey.size();
  }

  /** The keys delivered at least once. */
  long seenCount() {
    return seenCount;
  }

  /** The deliveries beyond the first of a key. */
  long duplicateCount() {
    return duplicates;
  }

  /** The deliveries of keys that were not loaded. */
  long unexpectedCount() {
    return unexpected;
  }

  long missingCount() {
    return numbersByKey.size() - seenCount;
  }

  /**
   * Whether it is time to look for a victim. After a failed look the next one is some way further
   * on.
   */
  boolean isVictimDue() {
    long percent = 100 * seenCount / numbersByKey.size();
    if (percent < nextTryPercent || percent > MAX_VICTIM_PERCENT) {
      return false;
    }
    nextTryPercent += RETRY_STEP_PERCENT;
    return true;
  }

  /**
   * Chooses the node that is primary of the most keys not seen yet.
   *
   * @param owners returns the names of a key's owners, primary first
   * @param self the iterating node, which is never the victim
   */
  Optional<Victim> chooseVictim(Function<FlightKey, List<String>> owners, String self) {
    Map<String, Integer> unseenByPrimary = new HashMap<>();
    numbersByKey.forEach(
        (key, number) -> {
          if (!seenKeys.get(number)) {
            unseenByPrimary.merge(owners.apply(key).getFirst(), 1, Integer::sum);
          }
        });
    unseenByPrimary.remove(self);
    return unseenByPrimary.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(maxUnseen -> new Victim(maxUnseen.getKey(), maxUnseen.getValue()));
  }

  /**
   * A node to kill.
   *
   * @param node its name
   * @param unseenKeys how many keys it is primary of that the iteration has not delivered yet
   */
  record Victim(String node, int unseenKeys) {}
}
