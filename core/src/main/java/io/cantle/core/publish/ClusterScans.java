package io.cantle.core.publish;

import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Scans of one cache over the whole cluster. Every segment is asked of its primary, or read here if
 * this node has a copy that may speak; what is refused, because the segment has moved or the
 * primary is gone, is asked again of whoever owns it then.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ClusterScans implements Scans {
  private final Requests requests;
  private final TopologyKeeper topologies;
  private final World world;
  private final CachePlace cache;
  private final long timeoutNanos;
  private final ScanMeter meter;
  private final ScanBuffers buffers;

  /**
   * Scans of one cache.
   *
   * @param timeoutNanos how long a scan may go without progress, unless it says so itself
   */
  public ClusterScans(
      Requests requests,
      TopologyKeeper topologies,
      World world,
      CachePlace cache,
      long timeoutNanos,
      ScanMeter meter,
      ScanBuffers buffers) {
    this.requests = requests;
    this.topologies = topologies;
    this.world = world;
    this.cache = cache;
    this.timeoutNanos = timeoutNanos;
    this.meter = meter;
    this.buffers = buffers;
  }

  private Access access(ScanOptions options) {
    long timeout = options.timeoutNanos() > 0 ? options.timeoutNanos() : timeoutNanos;
    Topology topology = cache.awaitThere(requests.clock().nanoTime() + timeout);
    int place = cache.in(topology);
    List<byte[]> wanted = options.keys();
    WantedKeys keys =
        wanted == null
            ? null
            : new WantedKeys(
                wanted, topology.hashSeed(), topology.caches().get(place).segments().size());
    return new Access(
        requests, topologies, meter, buffers, topology.gridId(), place, keys, timeout);
  }

  @Override
  public <T> CloseableIterator<T> iterate(
      Part part, byte @Nullable [] task, ScanOptions options, Function<Input, T> read) {
    return new Iteration<>(access(options), new Pulling.Wish(part, task, options), read);
  }

  @Override
  public void reduce(byte[] task, ScanOptions options, Predicate<Input> partial) {
    new Reduction(access(options), task, options, partial).run();
  }

  /** {@inheritDoc} One question to each primary; most answers are one number. */
  @Override
  public long count(ScanOptions options) {
    return Reduction.count(access(options), options);
  }

  @Override
  public <T> CachePublisher<T> publish(
      Part part, byte @Nullable [] task, ScanOptions options, Function<Input, T> read) {
    return new ScanPublisher<>(
        world, () -> access(options), new Pulling.Wish(part, task, options), read);
  }

  @Override
  public <K, V> ScanPage<K, V> page(
      ScanCursor cursor, int limit, Function<Input, Map.Entry<K, V>> read) {
    return Pages.page(access(ScanOptions.ALL), cursor, limit, read);
  }
}
