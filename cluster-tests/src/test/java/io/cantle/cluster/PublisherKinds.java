package io.cantle.cluster;

import io.cantle.CacheStream;
import java.util.concurrent.Flow;
import java.util.function.Predicate;

/** The ways to publish that differ in how they come to their elements. */
final class PublisherKinds {
  /** Made by stages that run on owners. */
  public static final class OfOwners extends PublisherVerification {
    @Override
    Flow.Publisher<Integer> published(CacheStream<Integer> keys) {
      return keys.map(key -> -key).publisher();
    }
  }

  /** Made by stages that run where the stream is. */
  public static final class OfHere extends PublisherVerification {
    @Override
    Flow.Publisher<Integer> published(CacheStream<Integer> keys) {
      return keys.filter((Predicate<Integer>) key -> key >= 0).publisher();
    }
  }

  /** One part that has it all. */
  public static final class OfPart extends PublisherVerification {
    @Override
    Flow.Publisher<Integer> published(CacheStream<Integer> keys) {
      return keys.publisher().split(1).getFirst();
    }
  }

  private PublisherKinds() {}
}
