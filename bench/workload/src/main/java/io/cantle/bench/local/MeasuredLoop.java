package io.cantle.bench.local;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;

/**
 * Measures calls of one thread, and writes a line for each measure: {@value #FIGURES} with tabs
 * between the side, the measure, the amount, and the 99th percentile of a call in nanoseconds.
 *
 * <p>A measure is made of slices of some milliseconds, and the amount is that of their median. A
 * machine that is slow for a while then changes nothing, nor does a pause of the collector, which
 * shows in the percentile.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class MeasuredLoop {
  private static final String FIGURES = "figures";
  private static final int CALLS_PER_SAMPLE = 256;
  private static final int MAX_SAMPLES = 1 << 18;
  private static final long SLICE_NANOS = 5_000_000;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int COLLECTIONS = 3;

  private final long measureNanos;
  private final String side;
  private final PrintStream console;

  /** What the calls returned, so that none is left out by the compiler. */
  private long returned;

  /**
   * Creates a loop.
   *
   * @param measureNanos how long a measure takes, after as long a warm-up
   * @param side the label of what is measured
   * @param console where the lines go
   */
  public MeasuredLoop(long measureNanos, String side, PrintStream console) {
    this.measureNanos = measureNanos;
    this.side = side;
    this.console = console;
  }

  /** Writes how often a short call is made in a second. Of 256 calls one is timed alone. */
  public void measure(String name, IntSupplier call) {
    measure(name, CALLS_PER_SAMPLE, 1, call);
  }

  /**
   * Writes how much is done in a second by a call that takes long, and is timed each time.
   *
   * @param amount how much one call does
   */
  public void measureLong(String name, long amount, IntSupplier call) {
    measure(name, 1, amount, call);
  }

  private void measure(String name, int callsPerSample, long amount, IntSupplier call) {
    new Measured().run(callsPerSample, call, measureNanos);
    Measured measured = new Measured();
    measured.run(callsPerSample, call, measureNanos);
    measured.write(side, name, amount);
  }

  /**
   * Measures a call and that of another side, slice by slice in turn. Both should be the same code
   * with other data. So they differ by nothing else: not by what the compiler made of it, nor by
   * where the heap lies, nor by the minute.
   *
   * @param otherSide the label of the other side
   */
  public void measureInTurn(
      String name, IntSupplier call, String otherSide, IntSupplier otherCall) {
    new Measured().run(CALLS_PER_SAMPLE, call, measureNanos / 2);
    new Measured().run(CALLS_PER_SAMPLE, otherCall, measureNanos / 2);
    Measured measured = new Measured();
    Measured other = new Measured();
    long end = System.nanoTime() + 2 * measureNanos;
    while (System.nanoTime() - end < 0) {
      measured.run(CALLS_PER_SAMPLE, call, SLICE_NANOS);
      other.run(CALLS_PER_SAMPLE, otherCall, 2 * SLICE_NANOS);
      measured.run(CALLS_PER_SAMPLE, call, SLICE_NANOS);
    }
    measured.write(side, name, 1);
    other.write(otherSide, name, 1);
  }

  /** Writes an amount that is not about calls. */
  public void write(String name, double amount) {
    write(side, name, amount, 0);
  }

  private void write(String of, String name, double amount, long slowNanos) {
    console.printf(Locale.ROOT, "%s\t%s\t%s\t%.3f\t%d%n", FIGURES, of, name, amount, slowNanos);
  }

  /** Returns how many bytes of the heap full collections leave. */
  public static long usedHeapBytes() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** The sum of what the calls returned. */
  public long returned() {
    return returned;
  }

  /** The slices of one measure. */
  private final class Measured {
    private final long[] samples = new long[MAX_SAMPLES];
    private int sampleCount;
    private final List<Double> callsPerNano = new ArrayList<>();

    /** Runs slices, at least one. */
    void run(int callsPerSample, IntSupplier call, long nanos) {
      long end = System.nanoTime() + nanos;
      do {
        runSlice(callsPerSample, call);
      } while (System.nanoTime() - end < 0);
    }

    private void runSlice(int callsPerSample, IntSupplier call) {
      long begin = System.nanoTime();
      long calls = 0;
      long now;
      do {
        for (int i = 1; i < callsPerSample; i++) {
          returned += call.getAsInt();
        }
        long before = System.nanoTime();
        returned += call.getAsInt();
        now = System.nanoTime();
        samples[sampleCount++ % MAX_SAMPLES] = now - before;
        calls += callsPerSample;
      } while (now - begin < SLICE_NANOS);
      callsPerNano.add((double) calls / (now - begin));
    }

    void write(String of, String name, long amount) {
      Collections.sort(callsPerNano);
      double median = callsPerNano.get(callsPerNano.size() / 2);
      long[] sorted = Arrays.copyOf(samples, Math.min(sampleCount, MAX_SAMPLES));
      Arrays.sort(sorted);
      MeasuredLoop.this.write(
          of, name, median * amount * NANOS_PER_SECOND, sorted[(int) (sorted.length * 0.99)]);
    }
  }
}
