package io.cantle.cluster;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.SegmentSignal;
import java.util.concurrent.Flow;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.Test;

/** The rules of Reactive Streams for publishers by segment; run by {@link PublisherTckTest}. */
public final class SegmentVerification extends FlowPublisherVerification<SegmentSignal<Integer>> {
  private static final int SEGMENTS = 512;

  private final Grid grid = Grid.local();

  /** An empty cache: each segment gives one signal, its end. */
  private final Cache<Integer, String> cache =
      grid.cache("empty", CacheConfig.local().segments(SEGMENTS));

  /** Creates a cache, and timeouts that suit a busy machine. */
  public SegmentVerification() {
    super(PublisherVerification.environment(), PublisherVerification.MAX_CANCEL_MILLIS);
  }

  /** Closes the node. */
  @AfterClass
  public void close() {
    grid.close();
  }

  /** As {@link PublisherVerification} does, since a busy machine may be too slow for it. */
  @Override
  @Test
  public void
      required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
          throws Throwable {
    PublisherVerification.checkRepeatedly(
        this,
        super
            ::required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber);
  }

  @Override
  public Flow.Publisher<SegmentSignal<Integer>> createFlowPublisher(long elements) {
    return cache.keySet().stream()
        .filterKeySegments(
            IntStream.range(0, (int) Math.min(elements, SEGMENTS))
                .boxed()
                .collect(Collectors.toSet()))
        .publisher()
        .bySegment();
  }

  /** A grid of one node has no segment without an owner, so no publisher fails. */
  @Override
  public Flow.@Nullable Publisher<SegmentSignal<Integer>> createFailedFlowPublisher() {
    return null;
  }
}
