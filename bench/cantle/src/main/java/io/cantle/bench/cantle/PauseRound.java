package io.cantle.bench.cantle;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import io.cantle.Grid;
import io.cantle.bench.local.MeasuredLoop;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import jdk.jfr.consumer.RecordingStream;

/**
 * The program of {@code bench pauses}: fills a cache off the heap, then reads and writes it while
 * the pauses of the garbage collector are recorded. It writes lines as a {@link MeasuredLoop} does.
 *
 * <p><b>Threading:</b> the main thread, and one for each processor.
 */
public final class PauseRound {
  private static final int VALUE_BYTES = 1_000;
  private static final int GETS_PER_PUT = 9;
  private static final String PAUSE = "jdk.GCPhasePause";
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Cache<Integer, byte[]> cache;
  private final int keys;
  private final int threads = Runtime.getRuntime().availableProcessors();

  private PauseRound(Cache<Integer, byte[]> cache, int keys) {
    this.cache = cache;
    this.keys = keys;
  }

  /**
   * Runs the program.
   *
   * @param args how many GiB of values; how many seconds to measure
   */
  public static void main(String[] args) throws Exception {
    PrintStream console = System.out;
    System.setOut(System.err);
    long bytes = Long.parseLong(args[0]) << 30;
    long measureNanos = TimeUnit.SECONDS.toNanos(Long.parseLong(args[1]));
    int keys = Math.toIntExact(Math.ceilDiv(bytes, VALUE_BYTES));
    try (Grid grid = Grid.local()) {
      CacheConfig config = CacheConfig.local().container(ContainerKind.OFF_HEAP);
      new PauseRound(grid.cache("data", config), keys)
          .run(measureNanos, new MeasuredLoop(0, "pauses", console));
    }
    Runtime.getRuntime().halt(0);
  }

  private void run(long measureNanos, MeasuredLoop figures) throws Exception {
    long begin = System.nanoTime();
    inAllThreads(this::fill);
    figures.write("entries", cache.size());
    figures.write("fill_seconds", (System.nanoTime() - begin) / NANOS_PER_SECOND);
    figures.write("owned_mib", (double) (cache.statistics().ownedBytes() >> 20));

    AtomicLong pauses = new AtomicLong();
    AtomicLong longestNanos = new AtomicLong();
    List<long[]> results;
    try (RecordingStream recording = new RecordingStream()) {
      recording.enable(PAUSE).withoutThreshold();
      recording.onEvent(
          PAUSE,
          event -> {
            pauses.incrementAndGet();
            longestNanos.accumulateAndGet(event.getDuration().toNanos(), Math::max);
          });
      recording.startAsync();
      results = inAllThreads(thread -> readAndWrite(thread, measureNanos));
      recording.stop();
    }
    long calls = results.stream().mapToLong(result -> result[0]).sum();
    long slowestNanos = results.stream().mapToLong(result -> result[1]).max().orElse(0);
    figures.write("calls_per_second", calls * NANOS_PER_SECOND / measureNanos);
    figures.write("slowest_call_millis", slowestNanos / NANOS_PER_MILLI);
    figures.write("pauses", (double) pauses.get());
    figures.write("longest_pause_millis", longestNanos.get() / NANOS_PER_MILLI);
  }

  private interface ThreadTask {
    /** Does the part of a thread, by its number. */
    long[] run(int thread);
  }

  private List<long[]> inAllThreads(ThreadTask task) throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Callable<long[]>> tasks =
          IntStream.range(0, threads)
              .<Callable<long[]>>mapToObj(thread -> () -> task.run(thread))
              .toList();
      List<long[]> results = new ArrayList<>();
      for (Future<long[]> thread : pool.invokeAll(tasks)) {
        results.add(thread.get());
      }
      return results;
    }
  }

  private long[] fill(int thread) {
    SplittableRandom random = new SplittableRandom(thread);
    byte[] value = new byte[VALUE_BYTES];
    for (int key = thread; key < keys; key += threads) {
      random.nextBytes(value);
      cache.put(key, value);
    }
    return new long[2];
  }

  /** Returns how many calls there were, and how long the slowest took. */
  private long[] readAndWrite(int thread, long measureNanos) {
    SplittableRandom random = new SplittableRandom(thread);
    byte[] value = new byte[VALUE_BYTES];
    long end = System.nanoTime() + measureNanos;
    long calls = 0;
    long slowestNanos = 0;
    for (long before = System.nanoTime(), now; before - end < 0; before = now) {
      int key = random.nextInt(keys);
      if (calls++ % (GETS_PER_PUT + 1) == 0) {
        value[0] = (byte) calls;
        cache.put(key, value);
      } else if (cache.get(key) == null) {
        throw new IllegalStateException("nothing was found for key " + key);
      }
      now = System.nanoTime();
      slowestNanos = Math.max(slowestNanos, now - before);
    }
    return new long[] {calls, slowestNanos};
  }
}
