package io.cantle.cluster;

import io.cantle.CacheStream;
import java.util.concurrent.Flow;
import java.util.function.Predicate;

/** The ways to publish, which differ in where their elements are made. */
final class PublisherKinds {
  /** The elements are made by stages that run on owners. */
  public static final class OfOwners extends PublisherVerification {
    @Override
    Flow.Publisher<Integer> published(CacheStream<Integer> keys) {
      return keys.map(key -> -key).publisher();
    }
  }

  /** The elements are made by stages that run at the caller. */
  public static final class OfHere extends PublisherVerification {
    @Override
    Flow.Publisher<Integer> published(CacheStream<Integer> keys) {
      return keys.filter((Predicate<Integer>) key -> key >= 0).publisher();
    }
  }

  /** One part that contains all elements. */
  public static final class OfPart extends PublisherVerification {
    @Override
    Flow.Publisher<Integer> published(CacheStream<Integer> keys) {
      return keys.publisher().split(1).getFirst();
    }
  }

  private PublisherKinds() {}
}
