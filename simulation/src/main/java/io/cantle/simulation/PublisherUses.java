package io.cantle.simulation;

import io.cantle.CachePublisher;
import io.cantle.Delivery;
import io.cantle.GridException;
import io.cantle.SegmentSignal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Uses of publishers.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class PublisherUses {
  private PublisherUses() {}

  private static CachePublisher<Map.Entry<Object, Stamp>> entries(StreamCall call) {
    return call.anyhow(call.cache().entrySet().stream()).publisher();
  }

  private static <T> void drain(
      StreamCall call, Flow.Publisher<T> publisher, Consumer<? super T> taking) {
    Drain.of(call, publisher, taking).takeAll();
  }

  static void drained(StreamCall call) {
    Sightings seen = call.sightings();
    drain(call, entries(call), seen::sawEntry);
    seen.exactly();
  }

  static void ofStages(StreamCall call) {
    Sightings seen = call.sightings();
    if (call.random().nextBoolean()) {
      drain(call, call.stable().map(value -> value.key()).publisher(), seen::sawNumber);
      seen.exactlyOf(key -> key < call.stableKeys());
    } else {
      drain(
          call,
          call.values().flatMap(value -> Stream.of(value.key(), value.key())).publisher(),
          seen::sawNumber);
      seen.exactly(2);
    }
  }

  static void atOrigin(StreamCall call) {
    Sightings seen = call.sightings();
    int most = call.random().nextInt(1, call.stableKeys() + 1);
    drain(
        call,
        call.values()
            .sorted((left, right) -> Integer.compare(left.key(), right.key()))
            .limit(most)
            .publisher(),
        value -> {
          call.expectSame(seen.size(), value.key());
          seen.sawValue(value);
        });
    seen.exactlyOf(key -> key < most);
  }

  /** In parts that are cancelled, or fail, and go on with their rest. */
  static void resumed(StreamCall call) {
    Sightings seen = call.sightings();
    Queue<CachePublisher.Part<Map.Entry<Object, Stamp>>> parts =
        new ArrayDeque<>(entries(call).split(call.random().nextInt(1, 4)));
    CachePublisher.Part<Map.Entry<Object, Stamp>> part;
    while ((part = parts.poll()) != null) {
      Drain<Map.Entry<Object, Stamp>> drain = Drain.of(call, part, seen::sawEntry);
      int least = call.random().nextInt(1, 30);
      try {
        if (drain.take(least + call.random().nextInt(20), least)) {
          drain.cancel();
          parts.add(part.rest());
        } else {
          call.expect(part.unfinished().isEmpty(), () -> "a part has ended unfinished");
        }
      } catch (GridException e) {
        call.trouble(e);
        parts.add(part.rest());
      }
    }
    seen.exactly();
  }

  /** All parts at the same time. */
  static void split(StreamCall call) {
    Sightings seen = call.sightings();
    List<Drain<Map.Entry<Object, Stamp>>> drains = new ArrayList<>();
    try {
      for (CachePublisher.Part<Map.Entry<Object, Stamp>> part :
          entries(call).split(call.random().nextInt(1, 6))) {
        Drain<Map.Entry<Object, Stamp>> drain = Drain.of(call, part, seen::sawEntry);
        drains.add(drain);
        if (call.random().nextBoolean()) {
          drain.askForAll();
        } else {
          drain.take(1, 1);
        }
      }
      for (Drain<Map.Entry<Object, Stamp>> drain : drains) {
        drain.askForAll();
        drain.awaitEnd();
      }
    } finally {
      // Nobody takes what the others have left when one has failed.
      drains.forEach(Drain::cancel);
    }
    seen.exactly();
  }

  static void bySegment(StreamCall call) {
    Sightings seen = call.sightings();
    BitSet over = new BitSet();
    BitSet lost = new BitSet();
    drain(
        call,
        entries(call).bySegment(),
        signal -> {
          call.expect(!over.get(signal.segment()), () -> signal + " came after its end");
          switch (signal) {
            case SegmentSignal.Element<Map.Entry<Object, Stamp>> element ->
                seen.sawEntry(element.value());
            case SegmentSignal.Completed<Map.Entry<Object, Stamp>> end -> over.set(end.segment());
            case SegmentSignal.Lost<Map.Entry<Object, Stamp>> end -> {
              over.set(end.segment());
              lost.set(end.segment());
            }
          }
        });
    call.expectSame(call.cache().config().segments(), over.cardinality());
    if (!lost.isEmpty()) {
      seen.noneTwice();
      throw call.lost(lost.nextSetBit(0));
    }
    seen.exactly();
  }

  static void atLeastOnce(StreamCall call) {
    Sightings seen = call.sightings();
    drain(call, call.values().delivery(Delivery.AT_LEAST_ONCE).publisher(), seen::sawValue);
    seen.check(Delivery.AT_LEAST_ONCE, 1, key -> true);
  }

  static void atMostOnce(StreamCall call) {
    Sightings seen = call.sightings();
    drain(call, call.values().delivery(Delivery.AT_MOST_ONCE).publisher(), seen::sawValue);
    seen.noneTwice();
  }
}
