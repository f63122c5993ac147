package io.cantle.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A checker of what an iteration delivered: nothing twice, nothing unknown, and every stable key
 * with its value if the iteration completed.
 *
 * <p>Whether an entry that changed meanwhile was rightly delivered or left out is decided by {@link
 * LinearizabilityChecker}. A delivery is a read of its key between the beginning of the iteration
 * and the delivery. An entry left out is a read of "absent" between the beginning and the end. That
 * is exactly the promise: for an entry present throughout, no such moment of absence exists.
 *
 * <p><b>Threading:</b> one thread.
 */
final class DeliveryChecker {
  private final int stableKeys;
  private final int keys;

  /**
   * Keys below {@code stableKeys} are stable and hold {@link #stableValue}; those after them
   * change.
   */
  DeliveryChecker(int stableKeys, int keys) {
    this.stableKeys = stableKeys;
    this.keys = keys;
  }

  /** Returns the value of a stable key. */
  static long stableValue(int key) {
    return key + 1L;
  }

  /** Returns the violations of an iteration; empty if there are none. */
  List<String> checkScan(RecordedScan scan) {
    List<String> violations = new ArrayList<>();
    BitSet seen = new BitSet(keys);
    for (RecordedScan.Delivery delivery : scan.deliveries()) {
      int key = delivery.key();
      if (key < 0 || key >= keys) {
        violations.add(scan + " delivered k" + key + ", which nobody wrote");
      } else if (seen.get(key)) {
        violations.add(scan + " delivered k" + key + " twice");
      } else {
        seen.set(key);
        if (key < stableKeys
            && delivery.value() != RecordedScan.NOT_REPORTED
            && delivery.value() != stableValue(key)) {
          violations.add(scan + " delivered stable k" + key + " with another value");
        }
      }
    }
    int missing = seen.nextClearBit(0);
    if (scan.isComplete() && missing < stableKeys) {
      violations.add(scan + " left out stable k" + missing);
    }
    return violations;
  }

  /** Adds to the history what an iteration read of the keys that change. */
  void addReads(RecordedScan scan, CallHistory history) {
    String client = scan.client() + " " + scan.kind();
    BitSet seen = new BitSet(keys);
    for (RecordedScan.Delivery delivery : scan.deliveries()) {
      int key = delivery.key();
      if (key >= stableKeys && key < keys) {
        seen.set(key);
        boolean told = delivery.value() != RecordedScan.NOT_REPORTED;
        history.read(
            client,
            told ? MapOperation.get(key) : MapOperation.contains(key),
            scan.began(),
            delivery.moment(),
            told ? delivery.value() : 1);
      }
    }
    if (scan.isComplete()) {
      for (int key = seen.nextClearBit(stableKeys); key < keys; key = seen.nextClearBit(key + 1)) {
        history.read(
            client, MapOperation.get(key), scan.began(), scan.ended(), MapOperation.ABSENT);
      }
    }
  }
}
