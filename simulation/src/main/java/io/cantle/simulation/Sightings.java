package io.cantle.simulation;

import io.cantle.Delivery;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * The elements of one result, and whether they are what they must be: those of stable keys exactly
 * so often, those of others so often or not at all, and none that nobody wrote.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Sightings {
  private final StreamCall call;
  private final StreamWork work;
  private final int stable;
  private final int[] times;
  private int seen;

  Sightings(StreamCall call, StreamWork work) {
    this.call = call;
    this.work = work;
    this.stable = work.scenario().stableKeys();
    this.times = new int[work.scenario().keys()];
  }

  /** An entry came. */
  void sawEntry(Map.Entry<Object, Stamp> entry) {
    int key = Keys.number(entry.getKey());
    call.expect(key == entry.getValue().key(), () -> "an entry of k" + key + " was " + entry);
    sawValue(entry.getValue());
  }

  /** A value came. */
  void sawValue(Stamp value) {
    int key = value.key();
    saw(key, value.checkedId(key));
  }

  /** A key with the number of its value came. */
  void saw(int key, long id) {
    call.expect(work.mayHold(key, id), () -> "k" + key + " with " + id + " was never written");
    sawNumber(key);
  }

  /** A key came. */
  void sawKey(Object key) {
    sawNumber(Keys.number(key));
  }

  /** The number of a key came. */
  void sawNumber(int key) {
    call.expect(key >= 0 && key < times.length, () -> "k" + key + " was never written");
    if (key >= 0 && key < times.length) {
      times[key]++;
    }
    seen++;
  }

  /** How many came. */
  int size() {
    return seen;
  }

  /** Everything is here, once. */
  void exactly() {
    check(Delivery.EXACTLY_ONCE, 1, key -> true);
  }

  /** Everything is here, and each element made so many. */
  void exactly(int each) {
    check(Delivery.EXACTLY_ONCE, each, key -> true);
  }

  /** Nothing is here twice; some may be missing. */
  void noneTwice() {
    check(Delivery.AT_MOST_ONCE, 1, key -> true);
  }

  /** All of these and no others are here. */
  void exactlyOf(IntPredicate wanted) {
    check(Delivery.EXACTLY_ONCE, 1, wanted);
  }

  /**
   * Says what is wrong.
   *
   * @param each how many elements an entry makes
   * @param wanted which keys may come
   */
  void check(Delivery delivery, int each, IntPredicate wanted) {
    for (int key = 0; key < times.length; key++) {
      int shown = key;
      int came = times[key];
      int most = wanted.test(key) ? each : 0;
      if (most == 0) {
        call.expect(came == 0, () -> "k" + shown + " came and was not asked for");
      } else if (came > most && delivery != Delivery.AT_LEAST_ONCE) {
        work.duplicates(came - most);
        call.violation("k" + shown + " came " + came + " times, not " + most);
      } else if (key < stable && came < most && delivery != Delivery.AT_MOST_ONCE) {
        work.missing(most - came);
        call.violation("stable k" + shown + " came " + came + " times, not " + most);
      } else {
        call.expect(came % each == 0, () -> "of k" + shown + " only a part came: " + came);
      }
    }
  }
}
