package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** Publishers over iterators, of streams with stages that run here. */
final class IteratorPublisherTest {
  private final ScanRig rig = new ScanRig(8).filled(1_000, 3);

  private static <T> Collecting<T> subscribed(Flow.Publisher<T> publisher) {
    Collecting<T> subscriber = new Collecting<>();
    publisher.subscribe(subscriber);
    return subscriber;
  }

  private CachePublisher<String> overOneThatFailsToClose() {
    return IteratorPublisher.over(
        rig.world,
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
  void oneThatFailsToCloseIsAnErrorAtItsEndAndNobodysWhenCancelled() {
    Collecting<String> subscriber = subscribed(overOneThatFailsToClose());
    subscriber.request(4);
    assertThat(subscriber.signals).containsExactly("subscribed", "error");
    assertThat(subscriber.error).hasMessage("the disk is full");
    Collecting<String> other = subscribed(overOneThatFailsToClose());
    other.request(1);
    other.given().cancel();
    assertThat(other.signals).containsExactly("subscribed");
  }

  private CachePublisher<String> overIterators(boolean[] closed) {
    return IteratorPublisher.over(
        rig.world,
        () -> {
          CloseableIterator<String> inner =
              rig.scans.iterate(Scans.Part.KEY, null, ScanOptions.ALL, ScanRig::key);
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
    Collecting<String> subscriber = subscribed(overIterators(closed));
    subscriber.request(400);
    assertThat(subscriber.elements).hasSize(400);
    subscriber.request(601);
    assertThat(subscriber.elements).containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(subscriber.completed && closed[0]).isTrue();
    closed[0] = false;
    Collecting<String> other = subscribed(overIterators(closed));
    other.request(1);
    other.given().cancel();
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
