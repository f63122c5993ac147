package io.cantle.simulation;

import io.cantle.CacheStream;
import io.cantle.Delivery;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Gatherers;
import java.util.stream.Stream;

/**
 * Uses of the stages and settings of streams.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class StreamStages {
  private static final int EACH = 3;

  private StreamStages() {}

  private static CacheStream<Stamp> inOrder(StreamCall call) {
    return call.values().sorted((left, right) -> Integer.compare(left.key(), right.key()));
  }

  static void sorted(StreamCall call) {
    Sightings seen = call.sightings();
    int[] last = {-1};
    inOrder(call)
        .toList()
        .forEach(
            value -> {
              seen.sawValue(value);
              call.expect(value.key() >= last[0], () -> value.key() + " came after " + last[0]);
              last[0] = value.key();
            });
    seen.exactly();
  }

  static void sortedLimit(StreamCall call) {
    Sightings seen = call.sightings();
    int most = call.random().nextInt(1, call.stableKeys() + 1);
    int skipped = call.random().nextInt(3) == 0 ? call.random().nextInt(most) : 0;
    List<Stamp> first = inOrder(call).skip(skipped).limit(most - skipped).toList();
    for (int i = 0; i < first.size(); i++) {
      seen.sawValue(first.get(i));
      call.expectSame(skipped + i, first.get(i).key());
    }
    seen.exactlyOf(key -> key >= skipped && key < most);
  }

  static void distinct(StreamCall call) {
    List<Integer> all = call.values().map(value -> value.key() % 7).distinct().toList();
    BitSet seen = new BitSet();
    for (int element : all) {
      if (seen.get(element)) {
        call.work().duplicates(1);
        call.violation(element + " came twice");
      }
      seen.set(element);
    }
    int absent = seen.nextClearBit(0);
    if (absent < Math.min(7, call.stableKeys())) {
      call.work().missing(1);
      call.violation(absent + " did not come");
    }
    call.expect(seen.length() <= 7, () -> "one of " + seen + " was never written");
  }

  static void limit(StreamCall call) {
    Sightings seen = call.sightings();
    int most = call.random().nextInt(2 * call.stableKeys());
    call.values().limit(most).toList().forEach(seen::sawValue);
    seen.noneTwice();
    int least = Math.min(most, call.stableKeys());
    call.expect(
        seen.size() >= least && seen.size() <= most,
        () -> seen.size() + " came, not " + least + " to " + most);
  }

  static void skip(StreamCall call) {
    Sightings seen = call.sightings();
    int skipped = call.random().nextInt(call.stableKeys() + 5);
    call.stable().skip(skipped).toList().forEach(seen::sawValue);
    seen.noneTwice();
    call.expectSame(Math.max(0, call.stableKeys() - skipped), seen.size());
  }

  static void takeWhile(StreamCall call) {
    Sightings seen = call.sightings();
    int stable = call.stableKeys();
    inOrder(call).takeWhile(value -> value.key() < stable).toList().forEach(seen::sawValue);
    seen.exactlyOf(key -> key < stable);
  }

  static void dropWhile(StreamCall call) {
    Sightings seen = call.sightings();
    int first = call.random().nextInt(call.stableKeys());
    inOrder(call).dropWhile(value -> value.key() < first).toList().forEach(seen::sawValue);
    seen.exactlyOf(key -> key >= first);
  }

  static void gather(StreamCall call) {
    Sightings seen = call.sightings();
    List<List<Stamp>> windows = call.values().gather(Gatherers.windowFixed(4)).toList();
    windows.forEach(window -> window.forEach(seen::sawValue));
    seen.exactly();
  }

  static void flatMap(StreamCall call) {
    Sightings seen = call.sightings();
    CacheStream<Integer> numbers =
        call.values().flatMap(value -> Stream.of(value.key(), value.key(), value.key()));
    switch (call.random().nextInt(3)) {
      case 0 -> numbers.toList().forEach(seen::sawNumber);
      case 1 ->
          numbers
              .distributedBatchSize(1 + call.random().nextInt(4))
              .iterator()
              .forEachRemaining(seen::sawNumber);
      default -> numbers.sorted().toList().forEach(seen::sawNumber);
    }
    seen.exactly(EACH);
  }

  static void mapMulti(StreamCall call) {
    Sightings seen = call.sightings();
    CacheStream<Integer> numbers =
        call.values()
            .mapMulti(
                (value, sink) -> {
                  for (int i = 0; i < EACH; i++) {
                    sink.accept(value.key());
                  }
                });
    if (call.random().nextBoolean()) {
      numbers.toList().forEach(seen::sawNumber);
    } else {
      numbers.iterator().forEachRemaining(seen::sawNumber);
    }
    seen.exactly(EACH);
  }

  static void filterKeys(StreamCall call) {
    Sightings seen = call.sightings();
    BitSet chosen = new BitSet();
    Set<Object> keys = new HashSet<>();
    for (int left = call.random().nextInt(12); left >= 0; left--) {
      int key = call.random().nextInt(call.work().scenario().keys());
      chosen.set(key);
      keys.add(call.work().keys().of(key));
    }
    call.values().filterKeys(keys).toList().forEach(seen::sawValue);
    seen.exactlyOf(chosen::get);
  }

  /** Two halves: together they are everything, once. */
  static void filterSegments(StreamCall call) {
    Sightings seen = call.sightings();
    Set<Integer> one = new HashSet<>();
    Set<Integer> other = new HashSet<>();
    for (int segment = 0; segment < call.cache().config().segments(); segment++) {
      (call.random().nextBoolean() ? one : other).add(segment);
    }
    call.values().filterKeySegments(one).toList().forEach(seen::sawValue);
    call.values().filterKeySegments(other).toList().forEach(seen::sawValue);
    // A key that comes and goes lies in one of them.
    seen.exactly();
  }

  static void atMostOnce(StreamCall call) {
    Sightings seen = call.sightings();
    gathered(call, call.values().disableRehashAware(), seen);
    seen.noneTwice();
  }

  static void atLeastOnce(StreamCall call) {
    Sightings seen = call.sightings();
    gathered(call, call.values().delivery(Delivery.AT_LEAST_ONCE), seen);
    seen.check(Delivery.AT_LEAST_ONCE, 1, key -> true);
  }

  static void smallBatches(StreamCall call) {
    Sightings seen = call.sightings();
    gathered(call, call.values().distributedBatchSize(call.random().nextInt(1, 6)), seen);
    seen.exactly();
  }

  static void sequential(StreamCall call) {
    Sightings seen = call.sightings();
    gathered(call, call.values().sequentialDistribution(), seen);
    seen.exactly();
  }

  /** Several threads on each owner; nothing runs here. */
  static void parallel(StreamCall call) {
    Sightings seen = call.sightings();
    call.values().parallel().collect(() -> Collectors.<Stamp>toList()).forEach(seen::sawValue);
    seen.exactly();
    call.expectSame(call.stableKeys(), call.stable().parallel().count());
  }

  static void completion(StreamCall call) {
    Sightings seen = call.sightings();
    int[] completed = new int[call.cache().config().segments()];
    gathered(call, call.values().segmentCompletionListener(segment -> completed[segment]++), seen);
    seen.exactly();
    for (int segment = 0; segment < completed.length; segment++) {
      int shown = segment;
      call.expect(
          completed[segment] == 1,
          () -> "segment " + shown + " was completed " + completed[shown] + " times");
    }
  }

  /** By pulls or by a reduction. */
  private static void gathered(StreamCall call, CacheStream<Stamp> stream, Sightings seen) {
    if (call.random().nextBoolean()) {
      stream.iterator().forEachRemaining(seen::sawValue);
    } else {
      stream.collect(() -> Collectors.<Stamp>toList()).forEach(seen::sawValue);
    }
  }
}
