package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.cantle.CachePublisher;
import io.cantle.Delivery;
import io.cantle.FunctionException;
import io.cantle.SegmentSignal;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanFixture;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.PullRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests publishers: the rules of signals, back-pressure, parts and what is left of them. */
final class PublisherTest {
  private final ScanFixture rig = new ScanFixture(8).filled(1_000, 3);

  private CachePublisher<String> publisher(ScanOptions options) {
    return rig.scanner.publish(
        new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, options), ScanFixture::key);
  }

  private static <T> CollectingSubscriber<T> subscribed(Flow.Publisher<T> publisher) {
    CollectingSubscriber<T> subscriber = new CollectingSubscriber<>();
    publisher.subscribe(subscriber);
    return subscriber;
  }

  @Test
  void everyElementIsDeliveredOnceThenComplete() {
    CollectingSubscriber<String> subscriber = subscribed(publisher(ScanOptions.ALL));
    subscriber.request(Long.MAX_VALUE);
    assertThat(subscriber.elements).containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(subscriber.signals).containsExactly("subscribed", "completed");
    rig.assertNothingLeft();
  }

  @Test
  void pullsNothingBeforeDemandAndAtMostABatchAfterwards() {
    CollectingSubscriber<String> subscriber = subscribed(publisher(ScanOptions.ALL.batch(40)));
    assertThat(rig.sent).isEmpty();
    Random random = new Random(7);
    while (!subscriber.completed) {
      subscriber.request(1 + random.nextInt(30));
      if (!subscriber.completed) {
        assertThat((long) subscriber.elements.size()).isEqualTo(subscriber.requested);
      }
    }
    assertThat(subscriber.elements).containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(rig.metrics.figures().mostElementsWaiting()).isLessThanOrEqualTo(40);
    rig.assertNothingLeft();
  }

  @Test
  void completesWithoutDemandWhenTheEndIsKnown() {
    CollectingSubscriber<String> subscriber = subscribed(publisher(ScanOptions.ALL));
    subscriber.request(1_000);
    assertThat(subscriber.completed).isTrue();
  }

  @Test
  void requestWithinASignalDoesNotRecurse() {
    CollectingSubscriber<String> subscriber =
        new CollectingSubscriber<>() {
          @Override
          void onElement(String element) {
            request(1);
          }
        };
    publisher(ScanOptions.ALL).subscribe(subscriber);
    subscriber.request(1);
    assertThat(subscriber.elements).hasSize(1_000);
    assertThat(subscriber.completed).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void requestOfZeroIsAnError(long nothing) {
    CollectingSubscriber<String> subscriber = subscribed(publisher(ScanOptions.ALL));
    subscriber.requireSubscription().request(nothing);
    assertThat(subscriber.error)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3.9")
        .hasMessageContaining(String.valueOf(nothing));
    subscriber.request(5);
    assertThat(subscriber.signals).containsExactly("subscribed", "error");
    rig.assertNothingLeft();
  }

  @Test
  void cancelEndsAtOnceAndIsIdempotent() {
    CollectingSubscriber<String> subscriber =
        new CollectingSubscriber<>() {
          @Override
          void onElement(String element) {
            if (elements.size() == 10) {
              requireSubscription().cancel();
              requireSubscription().cancel();
            }
          }
        };
    publisher(ScanOptions.ALL).subscribe(subscriber);
    subscriber.request(500);
    assertThat(subscriber.elements).hasSize(10);
    subscriber.request(500);
    subscriber.requireSubscription().cancel();
    assertThat(subscriber.signals).containsExactly("subscribed");
    rig.assertNothingLeft();
  }

  @Test
  void nullSubscriberIsRefused() {
    assertThatNullPointerException()
        .isThrownBy(() -> publisher(ScanOptions.ALL).subscribe(nobody()));
    assertThatNullPointerException()
        .isThrownBy(() -> publisher(ScanOptions.ALL).split(1).getFirst().subscribe(nobody()));
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nobody() {
    return null;
  }

  @Test
  void throwingSubscriberGetsNoMoreSignals() {
    CollectingSubscriber<String> subscriber =
        new CollectingSubscriber<>() {
          @Override
          void onElement(String element) {
            throw new IllegalStateException("a subscriber's mistake");
          }
        };
    publisher(ScanOptions.ALL).subscribe(subscriber);
    subscriber.request(5);
    assertThat(subscriber.elements).hasSize(1);
    assertThat(subscriber.signals).containsExactly("subscribed");
    rig.assertNothingLeft();
  }

  @Test
  void functionExceptionIsAnErrorWithItsCause() {
    rig.counting(
        entry -> {
          throw new ArithmeticException("a user's mistake");
        });
    CollectingSubscriber<String> subscriber =
        subscribed(
            rig.scanner.publish(
                new PullClient.ScanSpec(
                    PullRequest.EntryPart.KEY, ScanFixture.task(), ScanOptions.ALL),
                ScanFixture::key));
    subscriber.request(1);
    assertThat(subscriber.error)
        .isInstanceOf(FunctionException.class)
        .hasCauseInstanceOf(ArithmeticException.class);
    rig.assertNothingLeft();
  }

  @Test
  void eachSubscriberHasItsOwnScan() {
    CachePublisher<String> publisher = publisher(ScanOptions.ALL);
    CollectingSubscriber<String> one = subscribed(publisher);
    CollectingSubscriber<String> other = subscribed(publisher);
    one.request(300);
    other.request(Long.MAX_VALUE);
    one.request(700);
    assertThat(one.elements).containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(other.elements).containsExactlyInAnyOrderElementsOf(rig.keys());
  }

  @Test
  void tenThousandForgottenSubscriptionsLeakNothing() {
    CachePublisher<String> publisher = publisher(ScanOptions.ALL.batch(4));
    for (int i = 0; i < 10_000; i++) {
      subscribed(publisher).request(1);
    }
    assertThat(rig.messaging.pendingCount()).isZero();
    assertThat(rig.metrics.figures().running()).isZero();
  }

  @Test
  void slowSubscriberOfLargeValuesStaysWithinTheBudget() {
    ScanFixture big = new ScanFixture(8).filled(100, 100_000);
    CollectingSubscriber<Integer> slow =
        subscribed(
            big.scanner.publish(
                new PullClient.ScanSpec(PullRequest.EntryPart.VALUE, null, ScanOptions.ALL),
                in -> in.readBlob().length));
    while (!slow.completed) {
      slow.request(1);
      assertThat(big.metrics.figures().bytesWaiting()).isLessThanOrEqualTo((1 << 20));
    }
    assertThat(slow.elements).hasSize(100);
    assertThat(big.metrics.figures().mostBytesWaiting()).isLessThanOrEqualTo((1 << 20));
  }

  @ParameterizedTest
  @EnumSource(Delivery.class)
  void respectsTheDeliveryGuaranteeWhileSegmentsMove(Delivery delivery) {
    int[] seen = new int[1];
    rig.counting(
        entry -> {
          if (++seen[0] == 400) {
            rig.move();
          }
        });
    CollectingSubscriber<String> subscriber =
        subscribed(
            rig.scanner.publish(
                new PullClient.ScanSpec(
                    PullRequest.EntryPart.KEY,
                    ScanFixture.task(),
                    ScanOptions.ALL.delivery(delivery)),
                ScanFixture::key));
    subscriber.request(Long.MAX_VALUE);
    assertThat(subscriber.completed).isTrue();
    Set<String> each = new HashSet<>(subscriber.elements);
    int twice = subscriber.elements.size() - each.size();
    int missing = rig.keys().size() - each.size();
    switch (delivery) {
      case EXACTLY_ONCE -> assertThat(List.of(twice, missing)).containsExactly(0, 0);
      case AT_LEAST_ONCE -> {
        assertThat(twice).isPositive();
        assertThat(missing).isZero();
      }
      case AT_MOST_ONCE -> {
        assertThat(twice).isZero();
        assertThat(missing).isPositive();
      }
    }
  }

  // ------------------------------------------------------------------ by segment

  @Test
  void segmentElementsPrecedeTheirCompletion() {
    CollectingSubscriber<SegmentSignal<String>> subscriber =
        subscribed(publisher(ScanOptions.ALL.batch(64)).bySegment());
    subscriber.request(Long.MAX_VALUE);
    Set<Integer> over = new HashSet<>();
    List<String> found = new ArrayList<>();
    for (SegmentSignal<String> signal : subscriber.elements) {
      assertThat(over).doesNotContain(signal.segment());
      switch (signal) {
        case SegmentSignal.Element<String>(int segment, String key) -> {
          assertThat(rig.segmentOf).containsEntry(key, segment);
          found.add(key);
        }
        case SegmentSignal.Completed<String>(int segment) -> over.add(segment);
        case SegmentSignal.Lost<String> lost -> throw new AssertionError(lost);
      }
    }
    assertThat(over).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(found).containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(subscriber.completed).isTrue();
  }

  @Test
  void lostSegmentsAreSignalledAtMostOnce() {
    int[] seen = new int[1];
    rig.counting(
        entry -> {
          if (++seen[0] == 400) {
            rig.move();
          }
        });
    ScanOptions options = ScanOptions.ALL.delivery(Delivery.AT_MOST_ONCE);
    CollectingSubscriber<SegmentSignal<String>> subscriber =
        subscribed(
            rig.scanner
                .publish(
                    new PullClient.ScanSpec(PullRequest.EntryPart.KEY, ScanFixture.task(), options),
                    ScanFixture::key)
                .bySegment());
    subscriber.request(Long.MAX_VALUE);
    List<SegmentSignal<String>> ends =
        subscriber.elements.stream()
            .filter(signal -> !(signal instanceof SegmentSignal.Element<String>))
            .toList();
    assertThat(ends).hasSize(8);
    assertThat(ends.stream().filter(end -> end instanceof SegmentSignal.Lost<String>)).hasSize(1);
  }

  // ------------------------------------------------------------------ parts

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 8, 20})
  void partsAreDisjointAndTogetherEverything(int parts) {
    List<CachePublisher.Part<String>> all = publisher(ScanOptions.ALL).split(parts);
    assertThat(all).hasSize(parts);
    List<Integer> segments = new ArrayList<>();
    List<String> found = new ArrayList<>();
    for (CachePublisher.Part<String> part : all) {
      segments.addAll(part.unfinished());
      CollectingSubscriber<String> subscriber = subscribed(part);
      subscriber.request(Long.MAX_VALUE);
      found.addAll(subscriber.elements);
      assertThat(subscriber.completed).isTrue();
      assertThat(part.unfinished()).isEmpty();
    }
    assertThat(segments).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(found).containsExactlyInAnyOrderElementsOf(rig.keys());
    rig.assertNothingLeft();
  }

  @Test
  void splitIntoZeroPartsIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> publisher(ScanOptions.ALL).split(0))
        .withMessageContaining("0 parts");
  }

  @Test
  void aPartHasOneSubscriber() {
    CachePublisher.Part<String> part = publisher(ScanOptions.ALL).split(1).getFirst();
    subscribed(part);
    CollectingSubscriber<String> second = subscribed(part);
    assertThat(second.signals).containsExactly("subscribed", "error");
    assertThat(second.error).isInstanceOf(IllegalStateException.class).hasMessageContaining("rest");
  }

  @Test
  void restOfAnActivePartIsRefused() {
    CachePublisher.Part<String> part = publisher(ScanOptions.ALL).split(1).getFirst();
    assertThatIllegalStateException().isThrownBy(part::rest);
    CollectingSubscriber<String> subscriber = subscribed(part);
    subscriber.request(5);
    assertThatIllegalStateException().isThrownBy(part::rest);
  }

  @Test
  void everyElementComesOnceAcrossManyRests() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      CachePublisher.Part<String> part =
          publisher(ScanOptions.ALL.batch(1 + random.nextInt(200))).split(1).getFirst();
      List<String> found = new ArrayList<>();
      Set<Integer> before = new TreeSet<>(part.unfinished());
      for (boolean over = false; !over; part = part.rest()) {
        CollectingSubscriber<String> subscriber = subscribed(part);
        int wanted = random.nextInt(150);
        if (wanted > 0) {
          subscriber.request(wanted);
        }
        if (random.nextInt(4) == 0) {
          rig.move();
        }
        if (wanted > 0 && random.nextBoolean()) {
          subscriber.request(wanted);
        }
        over = subscriber.completed;
        subscriber.requireSubscription().cancel();
        found.addAll(subscriber.elements);
        assertThat(before).as("seed " + seed).containsAll(part.unfinished());
        before = part.unfinished();
        assertThat(part.rest().unfinished()).isEqualTo(before);
        assertThat(part.rest()).isSameAs(part.rest());
      }
      assertThat(found).as("seed " + seed).containsExactlyInAnyOrderElementsOf(rig.keys());
    }
    rig.assertNothingLeft();
  }

  @Test
  void restOfAFailedPartIsWhatWasNotDelivered() {
    int[] reads = new int[1];
    CachePublisher.Part<String> part =
        rig.scanner
            .publish(
                new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, ScanOptions.ALL),
                in -> {
                  if (++reads[0] == 123) {
                    throw new IllegalStateException("not this time");
                  }
                  return ScanFixture.key(in);
                })
            .split(1)
            .getFirst();
    CollectingSubscriber<String> failed = subscribed(part);
    failed.request(Long.MAX_VALUE);
    assertThat(failed.error).hasMessage("not this time");
    assertThat(failed.elements).hasSize(122);
    CollectingSubscriber<String> other = subscribed(part.rest());
    other.request(Long.MAX_VALUE);
    List<String> found = new ArrayList<>(failed.elements);
    found.addAll(other.elements);
    assertThat(found).containsExactlyInAnyOrderElementsOf(rig.keys());
  }

  @Test
  void theRestMayBeTakenWithinASignal() {
    CachePublisher.Part<String> part = publisher(ScanOptions.ALL).split(1).getFirst();
    List<CachePublisher.Part<String>> rests = new ArrayList<>();
    CollectingSubscriber<String> subscriber =
        new CollectingSubscriber<>() {
          @Override
          void onElement(String element) {
            if (elements.size() == 7) {
              requireSubscription().cancel();
              rests.add(part.rest());
            }
          }
        };
    part.subscribe(subscriber);
    subscriber.request(500);
    CollectingSubscriber<String> other = subscribed(rests.getFirst());
    other.request(Long.MAX_VALUE);
    assertThat(subscriber.elements).hasSize(7);
    assertThat(other.elements).hasSize(993).doesNotContainAnyElementsOf(subscriber.elements);
  }

  @Test
  void partOfAThrowingSubscriberHasARestAtOnce() {
    CachePublisher.Part<String> part = publisher(ScanOptions.ALL).split(1).getFirst();
    CollectingSubscriber<String> subscriber =
        new CollectingSubscriber<>() {
          @Override
          void onElement(String element) {
            if (elements.size() == 7) {
              throw new AssertionError("a subscriber's mistake");
            }
          }
        };
    part.subscribe(subscriber);
    assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> subscriber.request(500));
    long began = rig.clock.nanoTime();
    CollectingSubscriber<String> other = subscribed(part.rest());
    assertThat(rig.clock.nanoTime()).isEqualTo(began);
    other.request(Long.MAX_VALUE);
    assertThat(other.elements).hasSize(993).doesNotContainAnyElementsOf(subscriber.elements);
    rig.assertNothingLeft();
  }

  @Test
  void cancelDuringAWaitReturnsAtOnce() {
    rig.startsAtOnce = false;
    CollectingSubscriber<String> subscriber = subscribed(publisher(ScanOptions.ALL));
    subscriber.request(1);
    rig.clock.whileParked.add(() -> subscriber.requireSubscription().cancel());
    long began = rig.clock.nanoTime();
    rig.started.removeFirst().run();
    assertThat(rig.clock.nanoTime()).isEqualTo(began);
    assertThat(subscriber.signals).containsExactly("subscribed");
    assertThat(rig.sent).contains(MessageKind.CANCEL);
    assertThat(rig.messaging.pendingCount()).isZero();
  }
}
