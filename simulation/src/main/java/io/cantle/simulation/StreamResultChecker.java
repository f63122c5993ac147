package io.cantle.simulation;

import io.cantle.Delivery;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * A checker of the elements of one result. Those of stable keys must appear exactly as often as
 * expected, those of other keys as often or not at all, and none that nobody wrote.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class StreamResultChecker {
  private final StreamUseAttempt call;
  private final StreamWorkload work;
  private final int stable;
  private final int[] timesSeen;
  private int seen;

  StreamResultChecker(StreamUseAttempt call, StreamWorkload work) {
    this.call = call;
    this.work = work;
    this.stable = work.scenario().stableKeys();
    this.timesSeen = new int[work.scenario().keyCount()];
  }

  /** Records an entry. */
  void recordEntry(Map.Entry<Object, StampedValue> entry) {
    int key = KeyNumbering.toNumber(entry.getKey());
    call.check(key == entry.getValue().key(), () -> "an entry of k" + key + " was " + entry);
    recordValue(entry.getValue());
  }

  /** Records a value. */
  void recordValue(StampedValue value) {
    int key = value.key();
    recordSeen(key, value.verifyId(key));
  }

  /** Records a key with the number of its value. */
  void recordSeen(int key, long id) {
    call.check(work.isPossible(key, id), () -> "k" + key + " with " + id + " was never written");
    recordNumber(key);
  }

  /** Records a key. */
  void recordKey(Object key) {
    recordNumber(KeyNumbering.toNumber(key));
  }

  /** Records the number of a key. */
  void recordNumber(int key) {
    call.check(key >= 0 && key < timesSeen.length, () -> "k" + key + " was never written");
    if (key >= 0 && key < timesSeen.length) {
      timesSeen[key]++;
    }
    seen++;
  }

  /** Returns how many elements were recorded. */
  int seenCount() {
    return seen;
  }

  /** Checks that everything is present once. */
  void checkExactly() {
    check(Delivery.EXACTLY_ONCE, 1, key -> true);
  }

  /** Checks that everything is present, where each entry makes this many elements. */
  void checkExactly(int each) {
    check(Delivery.EXACTLY_ONCE, each, key -> true);
  }

  /** Checks that nothing is present twice; some elements may be missing. */
  void checkNoDuplicates() {
    check(Delivery.AT_MOST_ONCE, 1, key -> true);
  }

  /** Checks that exactly the wanted keys are present. */
  void checkExactlyOf(IntPredicate wanted) {
    check(Delivery.EXACTLY_ONCE, 1, wanted);
  }

  /**
   * Reports the violations.
   *
   * @param each how many elements an entry makes
   * @param wanted which keys may appear
   */
  void check(Delivery delivery, int each, IntPredicate wanted) {
    for (int key = 0; key < timesSeen.length; key++) {
      int shown = key;
      int came = timesSeen[key];
      int maxTimes = wanted.test(key) ? each : 0;
      if (maxTimes == 0) {
        call.check(came == 0, () -> "k" + shown + " came and was not asked for");
      } else if (came > maxTimes && delivery != Delivery.AT_LEAST_ONCE) {
        work.addDuplicates(came - maxTimes);
        call.reportViolation("k" + shown + " came " + came + " times, not " + maxTimes);
      } else if (key < stable && came < maxTimes && delivery != Delivery.AT_MOST_ONCE) {
        work.addMissing(maxTimes - came);
        call.reportViolation("stable k" + shown + " came " + came + " times, not " + maxTimes);
      } else {
        call.check(came % each == 0, () -> "of k" + shown + " only a part came: " + came);
      }
    }
  }
}
