package io.cantle.core.publish;

import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.NotAvailableException;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Input;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.codec.DecodingErrors;
import io.cantle.core.ownership.Topology;
import io.cantle.core.scan.KeyFilter;
import io.cantle.core.scan.LocalScan;
import io.cantle.core.scan.LocalScans;
import io.cantle.core.scan.PageClient;
import io.cantle.core.scan.PartialReader;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ReductionClient;
import io.cantle.core.scan.ScanBufferPool;
import io.cantle.core.scan.ScanContext;
import io.cantle.core.scan.ScanMetrics;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ScanTarget;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Scans one cache over the whole cluster. Each segment is requested from its primary, or read here
 * if this node has a replica that may answer. What is refused, because the segment has moved or the
 * primary is gone, is requested again from its next owner.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ClusterScanner implements CacheScanner {
  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final SubscriptionExecutor executor;
  private final CacheResolver cacheResolver;
  private final ClosedNodeGuard guard;
  private final long timeoutNanos;
  private final ScanMetrics metrics;
  private final ScanBufferPool buffers;
  private final LocalScans localScans;

  /**
   * Creates scans of one cache.
   *
   * @param guard says if the node was closed
   * @param timeoutNanos how long a scan may go without progress, unless its options say otherwise
   */
  public ClusterScanner(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      SubscriptionExecutor executor,
      CacheResolver cacheResolver,
      ClosedNodeGuard guard,
      long timeoutNanos,
      ScanMetrics metrics,
      ScanBufferPool buffers,
      LocalScans localScans) {
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.executor = executor;
    this.cacheResolver = cacheResolver;
    this.guard = guard;
    this.timeoutNanos = timeoutNanos;
    this.metrics = metrics;
    this.buffers = buffers;
    this.localScans = localScans;
  }

  private ScanContext newContext(ScanOptions options) {
    long timeout = options.timeoutNanos() > 0 ? options.timeoutNanos() : timeoutNanos;
    Topology topology = awaitCreated(messaging.clock().nanoTime() + timeout);
    int place = cacheResolver.indexIn(topology);
    List<byte[]> keyBytes = options.keys();
    KeyFilter keyFilter =
        keyBytes == null
            ? null
            : new KeyFilter(
                keyBytes, topology.hashSeed(), topology.caches().get(place).segments().size());
    return new ScanContext(
        messaging,
        topologyDriver,
        guard,
        metrics,
        buffers,
        topology.gridId(),
        topology.caches().get(place).definition().name(),
        place,
        keyFilter,
        timeout);
  }

  private Topology awaitCreated(long deadlineNanos) {
    guard.check();
    try {
      return cacheResolver.awaitCreated(deadlineNanos);
    } catch (NotAvailableException e) {
      throw guard.explain(e);
    }
  }

  @Override
  public <T> CloseableIterator<T> iterate(PullClient.ScanSpec spec, Function<Input, T> reader) {
    return new ScanIterator<>(newContext(spec.options()), spec, explain(reader));
  }

  @Override
  public <T> CloseableIterator<T> iterate(
      PullClient.ScanSpec spec,
      Function<Input, T> reader,
      BiFunction<@Nullable Object, @Nullable Object, T> objects) {
    ScanContext context = newContext(spec.options());
    return new ScanIterator<>(
        context,
        spec,
        explain(reader),
        holder -> localScans.begin(context, spec, holder),
        explain((LocalScan scan) -> scan.next(objects)));
  }

  @Override
  public void reduce(byte[] task, ScanOptions options, PartialReader partials) {
    Function<Input, Boolean> explained = explain(partials::read);
    PartialReader explaining =
        new PartialReader() {
          @Override
          public boolean read(Input partial) {
            return explained.apply(partial);
          }

          @Override
          public void onSend() {
            partials.onSend();
          }
        };
    new ReductionClient(newContext(options), task, options, explaining).run();
  }

  /** {@inheritDoc} Sends one request to each primary; most answers are one number. */
  @Override
  public long count(ScanOptions options) {
    return ReductionClient.count(newContext(options), options);
  }

  @Override
  public boolean ownsAll() {
    ScanContext context = newContext(ScanOptions.ALL);
    return context.topology().caches().get(context.cache()).segments().stream()
        .allMatch(segment -> segment.owners().contains(context.self()));
  }

  @Override
  public <T> CachePublisher<T> publish(PullClient.ScanSpec spec, Function<Input, T> reader) {
    return new ScanPublisher<>(executor, () -> newContext(spec.options()), spec, explain(reader));
  }

  @Override
  public <K, V> ScanPage<K, V> page(
      ScanCursor cursor, int limit, Function<Input, Map.Entry<K, V>> reader) {
    ScanContext context = newContext(ScanOptions.ALL);
    PageTokenCodec tokenCodec =
        new PageTokenCodec(
            context.gridId(), context.cacheName(), context.cache(), context.segmentCount());
    PageClient<Map.Entry<K, V>> page = new PageClient<>(context, limit, explain(reader));
    ScanTarget next = page.read(tokenCodec.decode(cursor));
    return new ScanPage<>(page.elements(), tokenCodec.encode(next));
  }

  private <S, T> Function<S, T> explain(Function<S, T> reader) {
    return DecodingErrors.explain(messaging.self().name(), reader);
  }
}
