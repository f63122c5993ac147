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
 * Uses of the operations that end a stream.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class StreamEnds {
  private StreamEnds() {}

  static void count(StreamCall call) {
    if (call.random().nextBoolean()) {
      call.expectSame(call.stableKeys(), call.stable().count());
      return;
    }
    long all = call.cache().keySet().stream().count();
    call.expect(
        all >= call.stableKeys() && all <= call.work().scenario().keys(), () -> "was " + all);
  }

  static void collector(StreamCall call) {
    Sightings seen = call.sightings();
    if (call.random().nextBoolean()) {
      call.values().collect(() -> Collectors.<Stamp>toList()).forEach(seen::sawValue);
    } else {
      Map<Integer, Long> counts =
          call.values().collect(() -> Collectors.groupingBy(Stamp::key, Collectors.counting()));
      counts.forEach(
          (key, count) -> {
            for (long left = count; left > 0; left--) {
              seen.sawNumber(key);
            }
          });
    }
    seen.exactly();
  }

  static void collected(StreamCall call) {
    Sightings seen = call.sightings();
    List<Stamp> all =
        call.values()
            .collect(
                () -> new ArrayList<Stamp>(),
                (list, value) -> list.add(value),
                (left, right) -> left.addAll(right));
    all.forEach(seen::sawValue);
    seen.exactly();
  }

  static void reduced(StreamCall call) {
    Sightings seen = call.sightings();
    Optional<String> all =
        call.values().map(value -> text(value)).reduce((left, right) -> left + right);
    all.ifPresent(text -> read(text, seen));
    seen.exactly();
  }

  static void reducedFrom(StreamCall call) {
    Sightings seen = call.sightings();
    read(call.values().map(value -> text(value)).reduce("", (left, right) -> left + right), seen);
    seen.exactly();
  }

  static void reducedTo(StreamCall call) {
    Sightings seen = call.sightings();
    String all =
        call.values()
            .reduce("", (text, value) -> text + text(value), (left, right) -> left + right);
    read(all, seen);
    seen.exactly();
  }

  /** A text, not a sum: it shows a key that was counted twice. */
  private static String text(Stamp value) {
    return value.key() + ":" + value.id() + " ";
  }

  private static void read(String all, Sightings seen) {
    for (String element : all.split(" ", -1)) {
      int colon = element.indexOf(':');
      if (colon > 0) {
        seen.saw(
            Integer.parseInt(element.substring(0, colon)),
            Long.parseLong(element.substring(colon + 1)));
      }
    }
  }

  static void min(StreamCall call) {
    Optional<Stamp> least =
        call.values().min((left, right) -> Integer.compare(left.key(), right.key()));
    call.expectSame(0, least.map(Stamp::key).orElse(-1));
  }

  static void max(StreamCall call) {
    Optional<Stamp> most =
        call.stable().max((left, right) -> Integer.compare(left.key(), right.key()));
    call.expectSame(call.stableKeys() - 1, most.map(Stamp::key).orElse(-1));
  }

  static void anyMatch(StreamCall call) {
    int key = call.random().nextInt(call.stableKeys());
    call.expect(call.values().anyMatch(value -> value.key() == key), () -> "no k" + key);
    call.expect(!call.values().anyMatch(value -> value.key() < 0), () -> "a key below 0");
  }

  static void allMatch(StreamCall call) {
    int key = call.random().nextInt(call.stableKeys());
    call.expect(!call.values().allMatch(value -> value.key() != key), () -> "no k" + key);
    call.expect(call.values().allMatch(value -> value.key() >= 0), () -> "a key below 0");
  }

  static void noneMatch(StreamCall call) {
    int key = call.random().nextInt(call.stableKeys());
    call.expect(!call.values().noneMatch(value -> value.key() == key), () -> "no k" + key);
    call.expect(call.values().noneMatch(value -> value.key() < 0), () -> "a key below 0");
  }

  static void findAny(StreamCall call) {
    int key = call.random().nextInt(call.stableKeys());
    Optional<Stamp> found = call.values().filter(value -> value.key() == key).findAny();
    call.expectSame(Deliveries.stableValue(key), found.map(Stamp::id).orElse(Operation.ABSENT));
    call.expect(
        call.values().filter(value -> value.key() < 0).findAny().isEmpty(), () -> "a key below 0");
  }

  static void findFirst(StreamCall call) {
    int key = call.random().nextInt(call.stableKeys());
    Optional<Stamp> found =
        call.values()
            .filter(value -> value.key() >= key)
            .sorted((left, right) -> Integer.compare(left.key(), right.key()))
            .findFirst();
    call.expectSame(Deliveries.stableValue(key), found.map(Stamp::id).orElse(Operation.ABSENT));
  }

  static void forEach(StreamCall call) {
    long number = call.number();
    call.values().forEach(value -> Host.noteEffect(number, value.key()));
    checkEffects(call);
  }

  static void forEachWithCache(StreamCall call) {
    long number = call.number();
    call.values()
        .forEach(
            (Cache<Object, Stamp> cache, Stamp value) -> {
              if (cache.name().equals("simulated")) {
                Host.noteEffect(number, value.key());
              }
            });
    checkEffects(call);
  }

  private static void checkEffects(StreamCall call) {
    BitSet effects = call.work().takeEffects(call.number());
    int absent = effects.nextClearBit(0);
    if (absent < call.stableKeys()) {
      call.work().missing(1);
      call.violation("nothing was done for stable k" + absent);
    }
    call.expect(
        effects.length() <= call.work().scenario().keys(), () -> "done for " + effects.length());
  }

  static void list(StreamCall call) {
    Sightings seen = call.sightings();
    call.anyhow(call.cache().entrySet().stream()).toList().forEach(seen::sawEntry);
    seen.exactly();
  }

  static void array(StreamCall call) {
    Sightings seen = call.sightings();
    for (Object key : call.anyhow(call.cache().keySet().stream()).toArray()) {
      seen.sawKey(key);
    }
    seen.exactly();
  }

  static void iterator(StreamCall call) {
    Sightings seen = call.sightings();
    iterate(call, call.anyhow(call.cache().entrySet().stream()).iterator(), seen, -1);
    seen.exactly();
  }

  static void iteratorClosed(StreamCall call) {
    Sightings seen = call.sightings();
    int most = call.random().nextInt(1, call.stableKeys());
    iterate(call, call.anyhow(call.cache().entrySet().stream()).iterator(), seen, most);
    seen.noneTwice();
    call.expectSame(most, seen.size());
  }

  private static void iterate(
      StreamCall call,
      CloseableIterator<Map.Entry<Object, Stamp>> entries,
      Sightings seen,
      int most) {
    try (entries) {
      while (seen.size() != most && entries.hasNext()) {
        seen.sawEntry(entries.next());
        if (call.random().nextInt(8) == 0) {
          call.dawdle(20_000_000L);
        }
      }
    }
  }

  static void sum(StreamCall call) {
    int count = call.stableKeys();
    call.expectSame(count * (count - 1L) / 2, call.stable().mapToInt(value -> value.key()).sum());
  }

  static void summary(StreamCall call) {
    int count = call.stableKeys();
    IntSummaryStatistics summary = call.stable().mapToInt(value -> value.key()).summaryStatistics();
    call.expectSame(count, summary.getCount());
    call.expectSame(count * (count - 1L) / 2, summary.getSum());
    call.expectSame(0, summary.getMin());
    call.expectSame(count - 1, summary.getMax());
  }
}
