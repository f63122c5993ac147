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
 * The uses of publishers.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class PublisherUseCases {
  private PublisherUseCases() {}

  private static CachePublisher<Map.Entry<Object, StampedValue>> drainEntries(
      StreamUseAttempt call) {
    return call.randomlyConfigured(call.cache().entrySet().stream()).publisher();
  }

  private static <T> void drain(
      StreamUseAttempt call, Flow.Publisher<T> publisher, Consumer<? super T> taking) {
    CheckingSubscriber.subscribe(call, publisher, taking).takeAll();
  }

  static void assertDrained(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    drain(call, drainEntries(call), seen::recordEntry);
    seen.checkExactly();
  }

  static void drainStages(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    if (call.random().nextBoolean()) {
      drain(call, call.stableEntries().map(value -> value.key()).publisher(), seen::recordNumber);
      seen.checkExactlyOf(key -> key < call.stableKeys());
    } else {
      drain(
          call,
          call.values().flatMap(value -> Stream.of(value.key(), value.key())).publisher(),
          seen::recordNumber);
      seen.checkExactly(2);
    }
  }

  static void drainAtOrigin(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    int most = call.random().nextInt(1, call.stableKeys() + 1);
    drain(
        call,
        call.values()
            .sorted((left, right) -> Integer.compare(left.key(), right.key()))
            .limit(most)
            .publisher(),
        value -> {
          call.checkSame(seen.seenCount(), value.key());
          seen.recordValue(value);
        });
    seen.checkExactlyOf(key -> key < most);
  }

  /** Drains a publisher in parts that are cancelled or fail, and resumes each with its rest. */
  static void drainResumed(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    Queue<CachePublisher.Part<Map.Entry<Object, StampedValue>>> parts =
        new ArrayDeque<>(drainEntries(call).split(call.random().nextInt(1, 4)));
    CachePublisher.Part<Map.Entry<Object, StampedValue>> part;
    while ((part = parts.poll()) != null) {
      CheckingSubscriber<Map.Entry<Object, StampedValue>> drain =
          CheckingSubscriber.subscribe(call, part, seen::recordEntry);
      int least = call.random().nextInt(1, 30);
      try {
        if (drain.takeAtLeast(least + call.random().nextInt(20), least)) {
          drain.cancel();
          parts.add(part.rest());
        } else {
          call.check(part.unfinished().isEmpty(), () -> "a part has ended unfinished");
        }
      } catch (GridException e) {
        call.reportFailure(e);
        parts.add(part.rest());
      }
    }
    seen.checkExactly();
  }

  /** Drains all parts at the same time. */
  static void drainSplit(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    List<CheckingSubscriber<Map.Entry<Object, StampedValue>>> drains = new ArrayList<>();
    try {
      for (CachePublisher.Part<Map.Entry<Object, StampedValue>> part :
          drainEntries(call).split(call.random().nextInt(1, 6))) {
        CheckingSubscriber<Map.Entry<Object, StampedValue>> drain =
            CheckingSubscriber.subscribe(call, part, seen::recordEntry);
        drains.add(drain);
        if (call.random().nextBoolean()) {
          drain.askForAll();
        } else {
          drain.takeAtLeast(1, 1);
        }
      }
      for (CheckingSubscriber<Map.Entry<Object, StampedValue>> drain : drains) {
        drain.askForAll();
        drain.awaitEnd();
      }
    } finally {
      // If one has failed, nobody takes what the others have left.
      drains.forEach(CheckingSubscriber::cancel);
    }
    seen.checkExactly();
  }

  static void drainBySegment(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    BitSet over = new BitSet();
    BitSet lost = new BitSet();
    drain(
        call,
        drainEntries(call).bySegment(),
        signal -> {
          call.check(!over.get(signal.segment()), () -> signal + " came after its end");
          switch (signal) {
            case SegmentSignal.Element<Map.Entry<Object, StampedValue>> element ->
                seen.recordEntry(element.value());
            case SegmentSignal.Completed<Map.Entry<Object, StampedValue>> end ->
                over.set(end.segment());
            case SegmentSignal.Lost<Map.Entry<Object, StampedValue>> end -> {
              over.set(end.segment());
              lost.set(end.segment());
            }
          }
        });
    call.checkSame(call.cache().config().segments(), over.cardinality());
    if (!lost.isEmpty()) {
      seen.checkNoDuplicates();
      throw call.reportLostSegment(lost.nextSetBit(0));
    }
    seen.checkExactly();
  }

  static void drainAtLeastOnce(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    drain(call, call.values().delivery(Delivery.AT_LEAST_ONCE).publisher(), seen::recordValue);
    seen.check(Delivery.AT_LEAST_ONCE, 1, key -> true);
  }

  static void drainAtMostOnce(StreamUseAttempt call) {
    StreamResultChecker seen = call.newResultChecker();
    drain(call, call.values().delivery(Delivery.AT_MOST_ONCE).publisher(), seen::recordValue);
    seen.checkNoDuplicates();
  }
}
