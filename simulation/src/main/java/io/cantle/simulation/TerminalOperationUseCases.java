package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The uses of the operations that end a stream.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class TerminalOperationUseCases {
  private TerminalOperationUseCases() {}

  static void count(StreamUseAttempt call) {
    if (call.random().nextBoolean()) {
      call.checkSame(call.stableKeys(), call.stableEntries().count());
      return;
    }
    long all = call.cache().keySet().stream().count();
    call.check(
        all >= call.stableKeys() && all <= call.work().scenario().keyCount(), () -> "was " + all);
  }

  static void collector(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    if (call.random().nextBoolean()) {
      call.values().collect(() -> Collectors.<StampedValue>toList()).forEach(seen::recordValue);
    } else {
      Map<Integer, Long> counts =
          call.values()
              .collect(() -> Collectors.groupingBy(StampedValue::key, Collectors.counting()));
      counts.forEach(
          (key, count) -> {
            for (long left = count; left > 0; left--) {
              seen.recordNumber(key);
            }
          });
    }
    seen.checkExactly();
  }

  static void collectAll(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    List<StampedValue> all =
        call.values()
            .collect(
                () -> new ArrayList<StampedValue>(),
                (list, value) -> list.add(value),
                (left, right) -> left.addAll(right));
    all.forEach(seen::recordValue);
    seen.checkExactly();
  }

  static void reduce(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    Optional<String> all =
        call.values().map(value -> asText(value)).reduce((left, right) -> left + right);
    all.ifPresent(text -> read(text, seen));
    seen.checkExactly();
  }

  static void reduceFrom(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    read(call.values().map(value -> asText(value)).reduce("", (left, right) -> left + right), seen);
    seen.checkExactly();
  }

  static void reduceTo(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    String all =
        call.values()
            .reduce("", (text, value) -> text + asText(value), (left, right) -> left + right);
    read(all, seen);
    seen.checkExactly();
  }

  /** Returns a text rather than a sum, because it shows a key that was counted twice. */
  private static String asText(StampedValue value) {
    return value.key() + ":" + value.id() + " ";
  }

  private static void read(String all, StreamResultChecker seen) {
    for (String element : all.split(" ", -1)) {
      int colon = element.indexOf(':');
      if (colon > 0) {
        seen.recordSeen(
            Integer.parseInt(element.substring(0, colon)),
            Long.parseLong(element.substring(colon + 1)));
      }
    }
  }

  static void min(StreamUseAttempt call) {
    Optional<StampedValue> minimum =
        call.values().min((left, right) -> Integer.compare(left.key(), right.key()));
    call.checkSame(0, minimum.map(StampedValue::key).orElse(-1));
  }

  static void max(StreamUseAttempt call) {
    Optional<StampedValue> maximum =
        call.stableEntries().max((left, right) -> Integer.compare(left.key(), right.key()));
    call.checkSame(call.stableKeys() - 1, maximum.map(StampedValue::key).orElse(-1));
  }

  static void anyMatch(StreamUseAttempt call) {
    int key = call.random().nextInt(call.stableKeys());
    call.check(call.values().anyMatch(value -> value.key() == key), () -> "no k" + key);
    call.check(!call.values().anyMatch(value -> value.key() < 0), () -> "a key below 0");
  }

  static void allMatch(StreamUseAttempt call) {
    int key = call.random().nextInt(call.stableKeys());
    call.check(!call.values().allMatch(value -> value.key() != key), () -> "no k" + key);
    call.check(call.values().allMatch(value -> value.key() >= 0), () -> "a key below 0");
  }

  static void noneMatch(StreamUseAttempt call) {
    int key = call.random().nextInt(call.stableKeys());
    call.check(!call.values().noneMatch(value -> value.key() == key), () -> "no k" + key);
    call.check(call.values().noneMatch(value -> value.key() < 0), () -> "a key below 0");
  }

  static void findAny(StreamUseAttempt call) {
    int key = call.random().nextInt(call.stableKeys());
    Optional<StampedValue> found = call.values().filter(value -> value.key() == key).findAny();
    call.checkSame(
        DeliveryChecker.stableValue(key), found.map(StampedValue::id).orElse(MapOperation.ABSENT));
    call.check(
        call.values().filter(value -> value.key() < 0).findAny().isEmpty(), () -> "a key below 0");
  }

  static void findFirst(StreamUseAttempt call) {
    int key = call.random().nextInt(call.stableKeys());
    Optional<StampedValue> found =
        call.values()
            .filter(value -> value.key() >= key)
            .sorted((left, right) -> Integer.compare(left.key(), right.key()))
            .findFirst();
    call.checkSame(
        DeliveryChecker.stableValue(key), found.map(StampedValue::id).orElse(MapOperation.ABSENT));
  }

  static void forEach(StreamUseAttempt call) {
    long number = call.number();
    call.values().forEachOnOwners(value -> SimulatedHost.recordEffect(number, value.key()));
    checkEffects(call);
  }

  static void forEachWithCache(StreamUseAttempt call) {
    long number = call.number();
    call.values()
        .forEachWithCache(
            (Cache<Object, StampedValue> cache, StampedValue value) -> {
              if (cache.name().equals(GridNodeInspection.CACHE)) {
                SimulatedHost.recordEffect(number, value.key());
              }
            });
    checkEffects(call);
  }

  private static void checkEffects(StreamUseAttempt call) {
    BitSet effects = call.work().takeEffects(call.number());
    int absent = effects.nextClearBit(0);
    if (absent < call.stableKeys()) {
      call.work().addMissing(1);
      call.reportViolation("nothing was done for stable k" + absent);
    }
    call.check(
        effects.length() <= call.work().scenario().keyCount(),
        () -> "done for " + effects.length());
  }

  static void toList(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    call.randomlyConfigured(call.cache().entrySet().stream()).toList().forEach(seen::recordEntry);
    seen.checkExactly();
  }

  static void toArray(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    for (Object key : call.randomlyConfigured(call.cache().keySet().stream()).toArray()) {
      seen.recordKey(key);
    }
    seen.checkExactly();
  }

  static void iterator(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    iterate(call, call.randomlyConfigured(call.cache().entrySet().stream()).iterator(), seen, -1);
    seen.checkExactly();
  }

  static void closeIterator(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    int maximum = call.random().nextInt(1, call.stableKeys());
    iterate(
        call, call.randomlyConfigured(call.cache().entrySet().stream()).iterator(), seen, maximum);
    seen.checkNoDuplicates();
    call.checkSame(maximum, seen.seenCount());
  }

  private static void iterate(
      StreamUseAttempt call,
      CloseableIterator<Map.Entry<Object, StampedValue>> entries,
      StreamResultChecker seen,
      int maximum) {
    try (entries) {
      while (seen.seenCount() != maximum && entries.hasNext()) {
        seen.recordEntry(entries.next());
        if (call.random().nextInt(8) == 0) {
          call.delayBriefly(20_000_000L);
        }
      }
    }
  }

  static void sum(StreamUseAttempt call) {
    int count = call.stableKeys();
    call.checkSame(
        count * (count - 1L) / 2, call.stableEntries().mapToInt(value -> value.key()).sum());
  }

  static void summary(StreamUseAttempt call) {
    int count = call.stableKeys();
    IntSummaryStatistics summary =
        call.stableEntries().mapToInt(value -> value.key()).summaryStatistics();
    call.checkSame(count, summary.getCount());
    call.checkSame(count * (count - 1L) / 2, summary.getSum());
    call.checkSame(0, summary.getMin());
    call.checkSame(count - 1, summary.getMax());
  }
}
