package io.cantle.cli.drain;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.ScanFigures;
import io.cantle.cli.console.FreePorts;
import io.cantle.cli.console.ProgressPrinter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * Nodes with a full cache, and a subscriber on the first of them. Every entry has one owner, so
 * most entries come over the network.
 *
 * <p><b>Threading:</b> one thread.
 */
final class DrainRun implements AutoCloseable {
  static final int NODE_COUNT = 3;

  /** The bytes that may be buffered for a subscriber of a stream with the default batch. */
  static final long BUDGET_BYTES = 1 << 20;

  static final int VALUE_BYTES = 4_096;
  private static final int MAX_PUTS_IN_FLIGHT = 1_024;
  private static final int HEAP_SAMPLES = 10;
  private static final int PAUSE_MILLIS = 5;

  private final List<Grid> grids = new ArrayList<>();
  private final ProgressPrinter progress;

  /** Starts nodes that know each other. */
  DrainRun(List<Integer> ports, ProgressPrinter progress) {
    this.progress = progress;
    GridConfig config =
        GridConfig.named("drain-" + UUID.randomUUID())
            .seeds(
                ports.stream().map(port -> new InetSocketAddress(FreePorts.ADDRESS, port)).toList())
            .initialMembers(NODE_COUNT);
    List<CompletableFuture<Grid>> joining = new ArrayList<>();
    for (int port : ports) {
      GridConfig own = config.nodeName("node-" + joining.size()).ports(port, 0);
      joining.add(CompletableFuture.supplyAsync(() -> Grid.join(own), Thread::startVirtualThread));
    }
    joining.forEach(joined -> grids.add(joined.join()));
  }

  /**
   * Fills a cache with this many bytes and has the subscriber read it in this many seconds.
   *
   * @throws IllegalStateException if the publisher fails
   */
  DrainResult run(long bytes, int seconds) throws InterruptedException {
    int entries = (int) (bytes / VALUE_BYTES);
    Cache<Integer, byte[]> cache =
        grids.getFirst().cache("full", CacheConfig.distributed().owners(1));
    fill(cache, entries);
    warmUp(cache, entries);
    ManualSubscriber subscriber = new ManualSubscriber(entries, VALUE_BYTES);
    long before = liveBytes();
    cache.entrySet().stream().publisher().subscribe(subscriber);
    Flow.Subscription subscription = subscriber.subscription();
    progress.beginStep("draining", entries);
    long began = System.nanoTime();
    List<Long> growths = new ArrayList<>();
    long requestedCount = 0;
    while (!subscriber.isOverWithin(PAUSE_MILLIS)) {
      double passed = (System.nanoTime() - began) / 1e9 / seconds;
      long due = Math.min(entries, (long) (passed * entries)) - requestedCount;
      if (due > 0) {
        subscription.request(due);
        requestedCount += due;
      }
      progress.updateProgress(subscriber.takenCount());
      if (growths.size() < HEAP_SAMPLES
          && subscriber.takenCount() > (long) entries * growths.size() / HEAP_SAMPLES) {
        growths.add(liveBytes() - before);
      }
    }
    long nanos = System.nanoTime() - began;
    progress.endStep(subscriber.seenKeys() + " entries");
    // The nodes leave next, and need not hand over entries that are of no more use.
    cache.clear();
    List<Grid> owners = grids.subList(1, grids.size());
    ScanFigures origin = grids.getFirst().scanFigures();
    return new DrainResult(
        NODE_COUNT,
        entries,
        (long) entries * VALUE_BYTES,
        BUDGET_BYTES,
        subscriber.seenKeys(),
        subscriber.duplicateCount(),
        TimeUnit.NANOSECONDS.toSeconds(nanos),
        origin.mostBytesWaiting(),
        maxOverGrids(owners, ScanFigures::mostBytesWaiting),
        origin.mostPullsOpen(),
        maxOverGrids(grids, ScanFigures::mostRunning),
        before,
        median(growths));
  }

  private void fill(Cache<Integer, byte[]> cache, int entries) throws InterruptedException {
    progress.beginStep("filling", entries);
    Map<Integer, byte[]> some = new HashMap<>();
    for (int key = 0; key < entries; key++) {
      some.put(key, new byte[VALUE_BYTES]);
      if (some.size() == MAX_PUTS_IN_FLIGHT || key == entries - 1) {
        cache.putAll(some);
        some.clear();
        progress.updateProgress(key);
      }
    }
    while (!grids.stream().allMatch(Grid::settled)) {
      Thread.sleep(PAUSE_MILLIS);
    }
    progress.endStep(entries + " entries of " + VALUE_BYTES + " bytes");
  }

  /**
   * Runs a first subscriber, because what is loaded once for all subscribers must not count for one
   * of them.
   */
  private static void warmUp(Cache<Integer, byte[]> cache, int entries)
      throws InterruptedException {
    int some = Math.max(1, Math.min(entries, MAX_PUTS_IN_FLIGHT) / 2);
    ManualSubscriber subscriber = new ManualSubscriber(entries, VALUE_BYTES);
    cache.entrySet().stream().publisher().subscribe(subscriber);
    Flow.Subscription subscription = subscriber.subscription();
    subscription.request(some);
    while (subscriber.takenCount() < some && !subscriber.isOverWithin(PAUSE_MILLIS)) {
      Thread.onSpinWait();
    }
    subscription.cancel();
  }

  private static long maxOverGrids(List<Grid> of, ToLongFunction<ScanFigures> figure) {
    return of.stream().map(Grid::scanFigures).mapToLong(figure).max().orElse(0);
  }

  /** The median: what is in transit at one moment is not what is kept. */
  private static long median(List<Long> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElse(0L);
  }

  /**
   * The reachable memory: the least of several readings, since other threads make garbage
   * meanwhile.
   */
  private static long liveBytes() {
    long minBytes = Long.MAX_VALUE;
    for (int look = 0; look < 3; look++) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      minBytes = Math.min(minBytes, runtime.totalMemory() - runtime.freeMemory());
    }
    return minBytes;
  }

  @Override
  public void close() {
    grids.stream()
        .map(grid -> CompletableFuture.runAsync(grid::close, Thread::startVirtualThread))
        .toList()
        .forEach(CompletableFuture::join);
  }
}
