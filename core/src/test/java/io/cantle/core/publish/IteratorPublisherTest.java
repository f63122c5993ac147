package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanFixture;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.wire.PullRequest;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** Tests publishers over iterators, for streams with stages that run on this node. */
final class IteratorPublisherTest {
  private final ScanFixture rig = new ScanFixture(8).filled(1_000, 3);

  private static <T> CollectingSubscriber<T> subscribed(Flow.Publisher<T> publisher) {
    CollectingSubscriber<T> subscriber = new CollectingSubscriber<>();
    publisher.subscribe(subscriber);
    return subscriber;
  }

  private CachePublisher<String> overOneThatFailsToClose() {
    return new IteratorPublisher<>(
        rig.subscriptions,
        () ->
            new CloseableIterator<>() {
              private int left = 3;

              @Override
              public boolean hasNext() {
                return left > 0;
              }

              @Override
              public String next() {
                return "e" + left--;
              }

              @Override
              public void close() {
                throw new IllegalStateException("the disk is full");
              }
            });
  }

  @Test
  void closeFailureIsAnErrorAtTheEndAndIgnoredWhenCancelled() {
    CollectingSubscriber<String> subscriber = subscribed(overOneThatFailsToClose());
    subscriber.request(4);
    assertThat(subscriber.signals).containsExactly("subscribed", "error");
    assertThat(subscriber.error).hasMessage("the disk is full");
    CollectingSubscriber<String> other = subscribed(overOneThatFailsToClose());
    other.request(1);
    other.requireSubscription().cancel();
    assertThat(other.signals).containsExactly("subscribed");
  }

  private CachePublisher<String> overIterators(boolean[] closed) {
    return new IteratorPublisher<>(
        rig.subscriptions,
        () -> {
          CloseableIterator<String> inner =
              rig.scanner.iterate(
                  new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, ScanOptions.ALL),
                  ScanFixture::key);
          return new CloseableIterator<>() {
            @Override
            public boolean hasNext() {
              return inner.hasNext();
            }

            @Override
            public String next() {
              return inner.next();
            }

            @Override
            public void close() {
              closed[0] = true;
              inner.close();
            }
          };
        });
  }

  @Test
  void iteratorsArePublishedAndClosed() {
    boolean[] closed = new boolean[1];
    CollectingSubscriber<String> subscriber = subscribed(overIterators(closed));
    subscriber.request(400);
    assertThat(subscriber.elements).hasSize(400);
    subscriber.request(601);
    assertThat(subscriber.elements).containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(subscriber.completed && closed[0]).isTrue();
    closed[0] = false;
    CollectingSubscriber<String> other = subscribed(overIterators(closed));
    other.request(1);
    other.requireSubscription().cancel();
    assertThat(closed[0]).isTrue();
    rig.assertNothingLeft();
  }

  @Test
  void iteratorsHaveNoPartsAndNoSegments() {
    CachePublisher<String> publisher = overIterators(new boolean[1]);
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> publisher.split(2))
        .withMessageContaining("where it was made");
    assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(publisher::bySegment);
  }
}
