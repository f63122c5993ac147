package io.cantle.bench.local;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * One round of one side: the program of its JVM. It fills a map with texts and one with arrays of
 * 1,000 bytes, and gets and puts random keys of each with one thread.
 *
 * <p>It writes a line for each measure: {@value #FIGURES} with tabs between the measure, the calls
 * a second, and the 99th percentile of a call in nanoseconds. Of 256 calls one is measured alone.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class LocalRound {
  private static final String FIGURES = "figures";

  /** The side that is a {@link ConcurrentHashMap}, for which there is no driver. */
  private static final String JDK = "jdk";

  private static final int KEYS = 50_000;
  private static final int VALUES = 1_024;
  private static final int VALUE_BYTES = 1_000;
  private static final int CALLS_PER_SAMPLE = 256;
  private static final int MAX_SAMPLES = 1 << 20;
  private static final double NANOS_PER_SECOND = 1e9;

  private final String[] keys =
      IntStream.range(0, KEYS).mapToObj(i -> "key-" + i).toArray(String[]::new);
  private final SplittableRandom random = new SplittableRandom(1);
  private final long[] samples = new long[MAX_SAMPLES];
  private final long measureNanos;
  private final PrintStream console;

  /** What the calls returned, so that none is left out by the compiler. */
  private long returned;

  private LocalRound(long measureNanos, PrintStream console) {
    this.measureNanos = measureNanos;
    this.console = console;
  }

  /**
   * Runs the round.
   *
   * @param args the side, {@value #JDK} or any other for the driver on the class path; the number
   *     of segments; how many milliseconds a measure takes, after as long a warm-up
   */
  public static void main(String[] args) {
    PrintStream console = System.out;
    System.setOut(System.err);
    try {
      LocalDriver driver =
          args[0].equals(JDK)
              ? new JdkDriver()
              : ServiceLoader.load(LocalDriver.class).iterator().next();
      new LocalRound(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[2])), console)
          .run(driver, Integer.parseInt(args[1]));
    } catch (RuntimeException | LinkageError failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(0);
  }

  private void run(LocalDriver driver, int segments) {
    measure("text", driver.open("texts", segments), i -> "value-" + i, String::length);
    measure(
        "bytes",
        driver.open("bytes", segments),
        i -> {
          byte[] bytes = new byte[VALUE_BYTES];
          Arrays.fill(bytes, (byte) i);
          return bytes;
        },
        bytes -> bytes[0]);
    System.err.println("sum of what was returned: " + returned);
  }

  private <V> void measure(
      String kind, ConcurrentMap<String, V> map, IntFunction<V> maker, ToIntFunction<V> reader) {
    List<V> values = IntStream.range(0, VALUES).mapToObj(maker).toList();
    for (int i = 0; i < KEYS; i++) {
      map.put(keys[i], values.get(i % VALUES));
    }
    measure("get_" + kind, key -> reader.applyAsInt(require(map.get(key), key)));
    measure(
        "put_" + kind,
        key -> reader.applyAsInt(require(map.put(key, values.get(random.nextInt(VALUES))), key)));
    if (map.size() != KEYS) {
      throw new IllegalStateException("size is " + map.size() + " instead of " + KEYS);
    }
  }

  private static <V> V require(V value, String key) {
    if (value == null) {
      throw new IllegalStateException("nothing was found for " + key);
    }
    return value;
  }

  private void measure(String name, ToIntFunction<String> call) {
    run(call);
    Measured measured = run(call);
    console.printf(
        Locale.ROOT,
        "%s\t%s\t%.0f\t%d%n",
        FIGURES,
        name,
        measured.calls * NANOS_PER_SECOND / measured.nanos,
        measured.slowNanos);
  }

  private record Measured(long calls, long nanos, long slowNanos) {}

  private Measured run(ToIntFunction<String> call) {
    long begin = System.nanoTime();
    long end = begin + measureNanos;
    long calls = 0;
    int sampleCount = 0;
    long now;
    do {
      for (int i = 1; i < CALLS_PER_SAMPLE; i++) {
        returned += call.applyAsInt(keys[random.nextInt(KEYS)]);
      }
      String key = keys[random.nextInt(KEYS)];
      long before = System.nanoTime();
      returned += call.applyAsInt(key);
      now = System.nanoTime();
      samples[sampleCount++ % MAX_SAMPLES] = now - before;
      calls += CALLS_PER_SAMPLE;
    } while (now - end < 0);
    long[] sorted = Arrays.copyOf(samples, Math.min(sampleCount, MAX_SAMPLES));
    Arrays.sort(sorted);
    return new Measured(calls, now - begin, sorted[(int) (sorted.length * 0.99)]);
  }

  private record JdkDriver() implements LocalDriver {
    @Override
    public <V> ConcurrentMap<String, V> open(String name, int segments) {
      return new ConcurrentHashMap<>();
    }
  }
}
