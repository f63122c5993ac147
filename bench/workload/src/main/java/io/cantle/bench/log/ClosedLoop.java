package io.cantle.bench.log;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop of writers that each append a record, wait until it is durable and append the next.
 * A writer has one record in flight, so a log cannot gain by answering late.
 *
 * <p><b>Threading:</b> one thread runs it; it starts the writers and waits for their end.
 */
final class ClosedLoop {
  private static final long END_TIMEOUT_MILLIS = 60_000;
  private static final long SEED = 2013;

  private final LogUnderTest log;
  private final List<AtomicLong> counts = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final CountDownLatch failed = new CountDownLatch(1);
  private volatile boolean stopped;

  private ClosedLoop(LogUnderTest log) {
    this.log = log;
  }

  /**
   * Appends for a while without counting, then with counting, and closes the log.
   *
   * @throws IOException if an append failed or a writer did not end
   */
  static LogFigures run(LogUnderTest log, LogCell cell, long settleMillis, long millis)
      throws IOException, InterruptedException {
    var loop = new ClosedLoop(log);
    LogFigures counted;
    try (log) {
      counted = loop.measure(cell, settleMillis, millis);
    }
    return new LogFigures(
        counted.appends(), counted.nanos(), counted.cpuNanos(), log.syncs(), loop.sumCounts());
  }

  private LogFigures measure(LogCell cell, long settleMillis, long millis)
      throws IOException, InterruptedException {
    List<Thread> writers = new ArrayList<>();
    for (int writer = 0; writer < cell.writers(); writer++) {
      var count = new AtomicLong();
      counts.add(count);
      byte[] record = new byte[cell.recordBytes()];
      new Random(SEED + writer).nextBytes(record);
      writers.add(cell.variant().threads().start(() -> writeLoop(record, count)));
    }
    boolean broken = failed.await(settleMillis, TimeUnit.MILLISECONDS);
    long beginCount = sumCounts();
    long beginCpu = cpuNanos();
    long begin = System.nanoTime();
    broken = broken || failed.await(millis, TimeUnit.MILLISECONDS);
    long count = sumCounts() - beginCount;
    long nanos = System.nanoTime() - begin;
    long cpu = cpuNanos() - beginCpu;
    stopped = true;
    joinWriters(writers);
    if (broken || failure.get() != null) {
      throw new IOException("an append failed: " + failure.get(), failure.get());
    }
    return new LogFigures(count, nanos, cpu, LogUnderTest.UNKNOWN_SYNCS, sumCounts());
  }

  private void writeLoop(byte[] record, AtomicLong count) {
    try {
      ByteBuffer head = ByteBuffer.wrap(record);
      for (long number = 1; !stopped; number++) {
        // Each record differs from the one before.
        head.putLong(0, number);
        log.append(record);
        count.setRelease(number);
      }
    } catch (IOException | InterruptedException | RuntimeException | Error thrown) {
      failure.compareAndSet(null, thrown);
      failed.countDown();
    }
  }

  private static void joinWriters(List<Thread> writers) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    for (Thread writer : writers) {
      long left = END_TIMEOUT_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      writer.join(Math.max(1, left));
      if (writer.isAlive()) {
        throw new IOException("a writer did not end within " + END_TIMEOUT_MILLIS + " ms");
      }
    }
  }

  private long sumCounts() {
    return counts.stream().mapToLong(AtomicLong::get).sum();
  }

  private static long cpuNanos() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }
}
