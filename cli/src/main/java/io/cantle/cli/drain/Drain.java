package io.cantle.cli.drain;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.ScanFigures;
import io.cantle.cli.console.FreePorts;
import io.cantle.cli.console.Story;
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
 * most of them come over the network.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Drain implements AutoCloseable {
  static final int NODES = 3;

  /** What waits for a subscriber of a stream whose batch nobody set. */
  static final long BUDGET_BYTES = 1 << 20;

  static final int VALUE_BYTES = 4_096;
  private static final int AT_ONCE = 1_024;
  private static final int LOOKS = 10;
  private static final int PAUSE_MILLIS = 5;

  private final List<Grid> grids = new ArrayList<>();
  private final Story story;

  /** Nodes that know each other. */
  Drain(List<Integer> ports, Story story) {
    this.story = story;
    GridConfig config =
        GridConfig.named("drain-" + UUID.randomUUID())
            .seeds(
                ports.stream().map(port -> new InetSocketAddress(FreePorts.ADDRESS, port)).toList())
            .initialMembers(NODES);
    List<CompletableFuture<Grid>> joining = new ArrayList<>();
    for (int port : ports) {
      GridConfig own = config.nodeName("node-" + joining.size()).ports(port, 0);
      joining.add(CompletableFuture.supplyAsync(() -> Grid.join(own), Thread::startVirtualThread));
    }
    joining.forEach(joined -> grids.add(joined.join()));
  }

  /**
   * Fills a cache with so much and has it drained in so many seconds.
   *
   * @throws IllegalStateException if the publisher fails
   */
  DrainResult run(long bytes, int seconds) throws InterruptedException {
    int entries = (int) (bytes / VALUE_BYTES);
    Cache<Integer, byte[]> cache =
        grids.getFirst().cache("full", CacheConfig.distributed().owners(1));
    fill(cache, entries);
    warmUp(cache, entries);
    Taker taker = new Taker(entries, VALUE_BYTES);
    long before = liveBytes();
    cache.entrySet().stream().publisher().subscribe(taker);
    Flow.Subscription subscription = taker.subscription();
    story.begin("draining", entries);
    long began = System.nanoTime();
    long growth = 0;
    long asked = 0;
    int looks = 0;
    while (!taker.over(PAUSE_MILLIS)) {
      double passed = (System.nanoTime() - began) / 1e9 / seconds;
      long due = Math.min(entries, (long) (passed * entries)) - asked;
      if (due > 0) {
        subscription.request(due);
        asked += due;
      }
      story.reached(taker.taken());
      if (taker.taken() > (long) entries * looks / LOOKS && looks < LOOKS) {
        looks++;
        growth = Math.max(growth, liveBytes() - before);
      }
    }
    long nanos = System.nanoTime() - began;
    story.end(taker.seen() + " entries");
    // Nobody needs to be handed what is of no use any more.
    cache.clear();
    List<Grid> owners = grids.subList(1, grids.size());
    ScanFigures origin = grids.getFirst().scanFigures();
    return new DrainResult(
        NODES,
        entries,
        (long) entries * VALUE_BYTES,
        BUDGET_BYTES,
        taker.seen(),
        taker.duplicates(),
        TimeUnit.NANOSECONDS.toSeconds(nanos),
        origin.mostBytesWaiting(),
        most(owners, ScanFigures::mostBytesWaiting),
        origin.mostPullsOpen(),
        most(grids, ScanFigures::mostRunning),
        before,
        growth);
  }

  private void fill(Cache<Integer, byte[]> cache, int entries) throws InterruptedException {
    story.begin("filling", entries);
    Map<Integer, byte[]> some = new HashMap<>();
    for (int key = 0; key < entries; key++) {
      some.put(key, new byte[VALUE_BYTES]);
      if (some.size() == AT_ONCE || key == entries - 1) {
        cache.putAll(some);
        some.clear();
        story.reached(key);
      }
    }
    while (!grids.stream().allMatch(Grid::settled)) {
      Thread.sleep(PAUSE_MILLIS);
    }
    story.end(entries + " entries of " + VALUE_BYTES + " bytes");
  }

  /** What is loaded and kept once for all subscribers is no part of what one of them takes. */
  private static void warmUp(Cache<Integer, byte[]> cache, int entries)
      throws InterruptedException {
    int some = Math.max(1, Math.min(entries, AT_ONCE) / 2);
    Taker taker = new Taker(entries, VALUE_BYTES);
    cache.entrySet().stream().publisher().subscribe(taker);
    Flow.Subscription subscription = taker.subscription();
    subscription.request(some);
    while (taker.taken() < some && !taker.over(PAUSE_MILLIS)) {
      Thread.onSpinWait();
    }
    subscription.cancel();
  }

  private static long most(List<Grid> of, ToLongFunction<ScanFigures> figure) {
    return of.stream().map(Grid::scanFigures).mapToLong(figure).max().orElse(0);
  }

  /** What is reachable: the least of several looks, since others make garbage meanwhile. */
  private static long liveBytes() {
    long least = Long.MAX_VALUE;
    for (int look = 0; look < 3; look++) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  @Override
  public void close() {
    grids.stream()
        .map(grid -> CompletableFuture.runAsync(grid::close, Thread::startVirtualThread))
        .toList()
        .forEach(CompletableFuture::join);
  }
}
