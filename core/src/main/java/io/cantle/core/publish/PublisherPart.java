package io.cantle.core.publish;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.CachePublisher;
import io.cantle.core.base.Input;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanContext;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A part of a publisher: some segments of a scan, for one subscriber, once. What that subscriber
 * leaves is available as another part.
 *
 * <p><b>Threading:</b> any thread; the monitor is never held while anything waits.
 */
final class PublisherPart<T> implements CachePublisher.Part<T> {
  private final SubscriptionExecutor executor;
  private final ScanContext context;
  private final PullClient.ScanSpec spec;
  private final Function<Input, T> elementReader;
  private final IntConsumer onCompleted;
  private final Set<Integer> unfinished = new ConcurrentSkipListSet<>();

  /** The scan to publish. Its elements are used up, so it is dropped when the scan begins. */
  @GuardedBy("this")
  private PullClient.@Nullable RemainingScan initialScan;

  @GuardedBy("this")
  private @Nullable FeedSubscription<T> subscription;

  @GuardedBy("this")
  private @Nullable ScanFeed<T, T> feed;

  @GuardedBy("this")
  private @Nullable PublisherPart<T> next;

  PublisherPart(
      SubscriptionExecutor executor,
      ScanContext context,
      PullClient.ScanSpec spec,
      Function<Input, T> elementReader,
      IntConsumer onCompleted,
      PullClient.RemainingScan initialScan) {
    this.executor = executor;
    this.context = context;
    this.spec = spec;
    this.elementReader = elementReader;
    this.onCompleted = onCompleted;
    this.initialScan = initialScan;
    unfinished.addAll(initialScan.cursors().keySet());
    initialScan.events().forEach(event -> unfinished.add(event.segment()));
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    FeedSubscription<T> candidate = new FeedSubscription<>(executor, this::openFeed, subscriber);
    if (!isFirst(candidate)) {
      candidate.refuse(
          new IllegalStateException(
              "a part takes one subscriber; when that has ended, subscribe to its rest()"));
    }
    candidate.begin();
  }

  private synchronized boolean isFirst(FeedSubscription<T> candidate) {
    if (subscription == null) {
      subscription = candidate;
    }
    return candidate.equals(subscription);
  }

  private synchronized ScanFeed<T, T> openFeed() {
    PullClient.RemainingScan initial = Objects.requireNonNull(initialScan, "a part is opened once");
    ScanFeed<T, T> opened =
        new ScanFeed<>(
            context,
            spec,
            initial,
            elementReader,
            new ScanFeed.ElementMapper<>(
                segment -> {
                  unfinished.remove(segment);
                  onCompleted.accept(segment);
                }));
    initialScan = null;
    feed = opened;
    return opened;
  }

  @Override
  public CachePublisher.Part<T> rest() {
    FeedSubscription<T> ending = requireEnding();
    ending.awaitEnd(context.clock(), context.timeoutNanos());
    synchronized (this) {
      PublisherPart<T> existing = next;
      if (existing == null) {
        PullClient.RemainingScan initial = initialScan;
        PullClient.RemainingScan remaining =
            initial == null ? Objects.requireNonNull(feed).remaining() : initial;
        existing =
            new PublisherPart<>(executor, context, spec, elementReader, onCompleted, remaining);
        next = existing;
      }
      return existing;
    }
  }

  private synchronized FeedSubscription<T> requireEnding() {
    FeedSubscription<T> existing = subscription;
    if (existing == null || !existing.isEnding()) {
      throw new IllegalStateException(
          "rest() needs a subscription that has ended: cancel it, or wait for its end");
    }
    return existing;
  }

  @Override
  public Set<Integer> unfinished() {
    return new TreeSet<>(unfinished);
  }
}
