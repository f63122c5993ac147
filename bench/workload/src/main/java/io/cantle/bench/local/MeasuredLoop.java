package io.cantle.bench.local;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntSupplier;

/**
 * Measures calls of one thread, and writes a line for each measure: {@value #FIGURES} with tabs
 * between the measure, the amount, and the 99th percentile of a call in nanoseconds.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class MeasuredLoop {
  private static final String FIGURES = "figures";
  private static final int CALLS_PER_SAMPLE = 256;
  private static final int MAX_SAMPLES = 1 << 20;
  private static final double NANOS_PER_SECOND = 1e9;

  private final long[] samples = new long[MAX_SAMPLES];
  private final long measureNanos;
  private final PrintStream console;

  /** What the calls returned, so that none is left out by the compiler. */
  private long returned;

  /**
   * Creates a loop.
   *
   * @param measureNanos how long a measure takes, after as long a warm-up
   * @param console where the lines go
   */
  public MeasuredLoop(long measureNanos, PrintStream console) {
    this.measureNanos = measureNanos;
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
    run(callsPerSample, call);
    Measured measured = run(callsPerSample, call);
    write(name, measured.calls * amount * NANOS_PER_SECOND / measured.nanos, measured.slowNanos);
  }

  /** Writes an amount that is not about calls. */
  public void write(String name, double amount) {
    write(name, amount, 0);
  }

  private void write(String name, double amount, long slowNanos) {
    console.printf(Locale.ROOT, "%s\t%s\t%.3f\t%d%n", FIGURES, name, amount, slowNanos);
  }

  /** The sum of what the calls returned. */
  public long returned() {
    return returned;
  }

  private record Measured(long calls, long nanos, long slowNanos) {}

  private Measured run(int callsPerSample, IntSupplier call) {
    long begin = System.nanoTime();
    long end = begin + measureNanos;
    long calls = 0;
    int sampleCount = 0;
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
    } while (now - end < 0);
    long[] sorted = Arrays.copyOf(samples, Math.min(sampleCount, MAX_SAMPLES));
    Arrays.sort(sorted);
    return new Measured(calls, now - begin, sorted[(int) (sorted.length * 0.99)]);
  }
}
