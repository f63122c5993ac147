package io.cantle.chaos.scenario;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridException;
import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.process.LatencyHistogram;
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A node of a {@link ThreeNodeGrid}, in the process of the node: it gets entries and measures how
 * long that takes.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ServingNode {
  private static final long GET_PAUSE_NANOS = 4_000_000L;

  private final Grid grid;
  private final Cache<Integer, byte[]> cache;
  private final LatencyHistogram latencies = new LatencyHistogram();
  private final AtomicLong failures = new AtomicLong();
  private volatile String lastFailure = "";

  private ServingNode(Grid grid) {
    this.grid = grid;
    this.cache = grid.cache("entries", CacheConfig.distributed().owners(2));
  }

  /**
   * Joins a grid.
   *
   * @param grid the name of the grid
   * @param words the arguments of the process: the node's number and the port of node 0
   */
  public static ServingNode join(String grid, String... words) {
    int number = Integer.parseInt(words[0]);
    int firstPort = Integer.parseInt(words[1]);
    return new ServingNode(Grid.join(ThreeNodeGrid.config(grid, number, firstPort)));
  }

  /** Returns the entries, whose keys are numbered from 0. */
  public Cache<Integer, byte[]> cache() {
    return cache;
  }

  /** Returns how many members the node sees. */
  public int memberCount() {
    return grid.members().size();
  }

  /**
   * Gets entries with keys below a limit, one after the other, for as long as the process lives.
   */
  public void getForever(int keys, Random random) {
    while (true) {
      long start = System.nanoTime();
      try {
        if (cache.get(random.nextInt(keys)) == null) {
          recordFailure("a value is not there");
        }
      } catch (GridException e) {
        recordFailure(e.toString());
      }
      latencies.add(System.nanoTime() - start);
      LockSupport.parkNanos(GET_PAUSE_NANOS);
    }
  }

  private void recordFailure(String why) {
    failures.incrementAndGet();
    lastFailure = why;
  }

  /** Returns what the gets since the last call measured, see {@link GetFigures}. */
  public JsonLine takeGets() {
    return JsonLine.empty()
        .with("latencies", latencies.takeText())
        .with("failures", failures.getAndSet(0))
        .with("lastFailure", lastFailure);
  }

  /** Returns how much of the heap is in use, without the garbage that two collections find. */
  public static JsonLine measureHeap() {
    System.gc();
    System.gc();
    return JsonLine.empty()
        .with("bytes", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
  }
}
