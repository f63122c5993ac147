package io.cantle.core.publish;

import io.cantle.CacheConfig;
import io.cantle.CachePublisher;
import io.cantle.SegmentSignal;
import io.cantle.core.base.Input;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanContext;
import io.cantle.core.transport.Member;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A publisher over scans: each subscriber has a scan of its own, begun when it first requests
 * elements.
 *
 * <p><b>Threading:</b> immutable, any thread.
 */
final class ScanPublisher<T> implements CachePublisher<T> {
  private final SubscriptionExecutor executor;
  private final Supplier<ScanContext> contexts;
  private final PullClient.ScanSpec spec;
  private final Function<Input, T> elementReader;

  ScanPublisher(
      SubscriptionExecutor executor,
      Supplier<ScanContext> contexts,
      PullClient.ScanSpec spec,
      Function<Input, T> elementReader) {
    this.executor = executor;
    this.contexts = contexts;
    this.spec = spec;
    this.elementReader = elementReader;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    subscribe(new ScanFeed.ElementMapper<>(spec.options()::notifyCompleted), subscriber);
  }

  private <S> void subscribe(
      ScanFeed.EventMapper<T, S> mapper, Flow.Subscriber<? super S> subscriber) {
    new FeedSubscription<S>(executor, () -> openFeed(mapper), subscriber).begin();
  }

  private <S> ScanFeed<T, S> openFeed(ScanFeed.EventMapper<T, S> mapper) {
    ScanContext context = contexts.get();
    return new ScanFeed<>(
        context, spec, PullClient.fromStart(context, spec.options()), elementReader, mapper);
  }

  /**
   * {@inheritDoc} The segments of each owner are dealt out in turn, so that every part reads from
   * all owners.
   */
  @Override
  public List<Part<T>> split(int parts) {
    if (parts < 1 || parts > CacheConfig.MAX_SEGMENTS) {
      throw new IllegalArgumentException(
          parts + " parts are not within 1.." + CacheConfig.MAX_SEGMENTS);
    }
    ScanContext context = contexts.get();
    Topology topology = context.topology();
    List<Integer> byOwner =
        PullClient.fromStart(context, spec.options()).cursors().keySet().stream()
            .sorted(
                Comparator.comparing((Integer segment) -> ownerOf(context, topology, segment))
                    .thenComparing(Comparator.naturalOrder()))
            .toList();
    List<Map<Integer, SegmentCursor>> dealt =
        Stream.<Map<Integer, SegmentCursor>>generate(HashMap::new).limit(parts).toList();
    for (int i = 0; i < byOwner.size(); i++) {
      dealt.get(i % parts).put(byOwner.get(i), SegmentCursor.START);
    }
    return dealt.stream().map(segments -> newPart(context, segments)).toList();
  }

  private Part<T> newPart(ScanContext context, Map<Integer, SegmentCursor> segments) {
    return new PublisherPart<>(
        executor,
        context,
        spec,
        elementReader,
        spec.options()::notifyCompleted,
        new PullClient.RemainingScan(List.of(), segments));
  }

  private static Member ownerOf(ScanContext context, Topology topology, int segment) {
    SegmentOwnership ownership = topology.ownership(context.cache(), segment);
    // A request for a segment that is lost, or vacant, fails and says so.
    return ownership.isUnowned() ? context.self() : ownership.primary();
  }

  @Override
  public Flow.Publisher<SegmentSignal<T>> bySegment() {
    return subscriber -> subscribe(new SignalMapper(), subscriber);
  }

  /** Publishes elements with their segments, and the ends of segments. */
  private final class SignalMapper implements ScanFeed.EventMapper<T, SegmentSignal<T>> {
    @Override
    public SegmentSignal<T> mapElement(int segment, T element) {
      return new SegmentSignal.Element<>(segment, element);
    }

    @Override
    public SegmentSignal<T> mapEnd(PullClient.SegmentEnd end) {
      if (!end.complete()) {
        return new SegmentSignal.Lost<>(end.segment());
      }
      spec.options().notifyCompleted(end.segment());
      return new SegmentSignal.Completed<>(end.segment());
    }

    @Override
    public boolean reportsEnds() {
      return true;
    }
  }
}
