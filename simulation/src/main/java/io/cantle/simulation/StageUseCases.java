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
 * The uses of the stages and settings of streams.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class StageUseCases {
  private static final int ELEMENTS_PER_ENTRY = 3;

  private StageUseCases() {}

  private static CacheStream<StampedValue> inOrder(StreamUseAttempt call) {
    return call.values().sorted((left, right) -> Integer.compare(left.key(), right.key()));
  }

  static void sorted(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    int[] last = {-1};
    inOrder(call)
        .toList()
        .forEach(
            value -> {
              seen.recordValue(value);
              call.check(value.key() >= last[0], () -> value.key() + " came after " + last[0]);
              last[0] = value.key();
            });
    seen.checkExactly();
  }

  static void sortedLimit(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    int most = call.random().nextInt(1, call.stableKeys() + 1);
    int skipped = call.random().nextInt(3) == 0 ? call.random().nextInt(most) : 0;
    List<StampedValue> first = inOrder(call).skip(skipped).limit(most - skipped).toList();
    for (int i = 0; i < first.size(); i++) {
      seen.recordValue(first.get(i));
      call.checkSame(skipped + i, first.get(i).key());
    }
    seen.checkExactlyOf(key -> key >= skipped && key < most);
  }

  static void distinct(StreamUseAttempt call) {
    List<Integer> all = call.values().map(value -> value.key() % 7).distinct().toList();
    BitSet seen = new BitSet();
    for (int element : all) {
      if (seen.get(element)) {
        call.work().addDuplicates(1);
        call.reportViolation(element + " came twice");
      }
      seen.set(element);
    }
    int absent = seen.nextClearBit(0);
    if (absent < Math.min(7, call.stableKeys())) {
      call.work().addMissing(1);
      call.reportViolation(absent + " did not come");
    }
    call.check(seen.length() <= 7, () -> "one of " + seen + " was never written");
  }

  static void limit(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    int most = call.random().nextInt(2 * call.stableKeys());
    call.values().limit(most).toList().forEach(seen::recordValue);
    seen.checkNoDuplicates();
    int least = Math.min(most, call.stableKeys());
    call.check(
        seen.seenCount() >= least && seen.seenCount() <= most,
        () -> seen.seenCount() + " came, not " + least + " to " + most);
  }

  static void skip(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    int skipped = call.random().nextInt(call.stableKeys() + 5);
    call.stableEntries().skip(skipped).toList().forEach(seen::recordValue);
    seen.checkNoDuplicates();
    call.checkSame(Math.max(0, call.stableKeys() - skipped), seen.seenCount());
  }

  static void takeWhile(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    int stable = call.stableKeys();
    inOrder(call).takeWhile(value -> value.key() < stable).toList().forEach(seen::recordValue);
    seen.checkExactlyOf(key -> key < stable);
  }

  static void dropWhile(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    int first = call.random().nextInt(call.stableKeys());
    inOrder(call).dropWhile(value -> value.key() < first).toList().forEach(seen::recordValue);
    seen.checkExactlyOf(key -> key >= first);
  }

  static void gather(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    List<List<StampedValue>> windows = call.values().gather(Gatherers.windowFixed(4)).toList();
    windows.forEach(window -> window.forEach(seen::recordValue));
    seen.checkExactly();
  }

  static void flatMap(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    CacheStream<Integer> numbers =
        call.values().flatMap(value -> Stream.of(value.key(), value.key(), value.key()));
    switch (call.random().nextInt(3)) {
      case 0 -> numbers.toList().forEach(seen::recordNumber);
      case 1 ->
          numbers
              .distributedBatchSize(1 + call.random().nextInt(4))
              .iterator()
              .forEachRemaining(seen::recordNumber);
      default -> numbers.sorted().toList().forEach(seen::recordNumber);
    }
    seen.checkExactly(ELEMENTS_PER_ENTRY);
  }

  static void mapMulti(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    CacheStream<Integer> numbers =
        call.values()
            .mapMulti(
                (value, sink) -> {
                  for (int i = 0; i < ELEMENTS_PER_ENTRY; i++) {
                    sink.accept(value.key());
                  }
                });
    if (call.random().nextBoolean()) {
      numbers.toList().forEach(seen::recordNumber);
    } else {
      numbers.iterator().forEachRemaining(seen::recordNumber);
    }
    seen.checkExactly(ELEMENTS_PER_ENTRY);
  }

  static void filterKeys(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    BitSet chosen = new BitSet();
    Set<Object> keys = new HashSet<>();
    for (int left = call.random().nextInt(12); left >= 0; left--) {
      int key = call.random().nextInt(call.work().scenario().keyCount());
      chosen.set(key);
      keys.add(call.work().keys().toKey(key));
    }
    call.values().filterKeys(keys).toList().forEach(seen::recordValue);
    seen.checkExactlyOf(chosen::get);
  }

  /** Filters by two halves of the segments. Together they contain everything once. */
  static void filterSegments(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    Set<Integer> one = new HashSet<>();
    Set<Integer> other = new HashSet<>();
    for (int segment = 0; segment < call.cache().config().segments(); segment++) {
      (call.random().nextBoolean() ? one : other).add(segment);
    }
    call.values().filterKeySegments(one).toList().forEach(seen::recordValue);
    call.values().filterKeySegments(other).toList().forEach(seen::recordValue);
    // A key that comes and goes is in one of them.
    seen.checkExactly();
  }

  static void atMostOnce(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    checkGathered(call, call.values().disableRehashAware(), seen);
    seen.checkNoDuplicates();
  }

  static void atLeastOnce(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    checkGathered(call, call.values().delivery(Delivery.AT_LEAST_ONCE), seen);
    seen.check(Delivery.AT_LEAST_ONCE, 1, key -> true);
  }

  static void smallBatches(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    checkGathered(call, call.values().distributedBatchSize(call.random().nextInt(1, 6)), seen);
    seen.checkExactly();
  }

  static void sequential(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    checkGathered(call, call.values().sequentialDistribution(), seen);
    seen.checkExactly();
  }

  /** Uses several threads on each owner; nothing runs at the caller. */
  static void parallel(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    call.values()
        .parallel()
        .collect(() -> Collectors.<StampedValue>toList())
        .forEach(seen::recordValue);
    seen.checkExactly();
    call.checkSame(call.stableKeys(), call.stableEntries().parallel().count());
  }

  static void completion(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    int[] completed = new int[call.cache().config().segments()];
    checkGathered(
        call, call.values().segmentCompletionListener(segment -> completed[segment]++), seen);
    seen.checkExactly();
    for (int segment = 0; segment < completed.length; segment++) {
      int shown = segment;
      call.check(
          completed[segment] == 1,
          () -> "segment " + shown + " was completed " + completed[shown] + " times");
    }
  }

  /** Checks a collected result, by pulls or by a reduction. */
  private static void checkGathered(
      StreamUseAttempt call, CacheStream<StampedValue> stream, StreamResultChecker seen) {
    if (call.random().nextBoolean()) {
      stream.iterator().forEachRemaining(seen::recordValue);
    } else {
      stream.collect(() -> Collectors.<StampedValue>toList()).forEach(seen::recordValue);
    }
  }
}
