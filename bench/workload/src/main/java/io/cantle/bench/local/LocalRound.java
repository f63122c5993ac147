package io.cantle.bench.local;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
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
 * <p>It writes the lines of a {@link MeasuredLoop}.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class LocalRound {
  /** The side that is a {@link ConcurrentHashMap}, for which there is no driver. */
  private static final String JDK = "jdk";

  private static final int KEYS = 50_000;
  private static final int VALUES = 1_024;
  private static final int VALUE_BYTES = 1_000;

  private final String[] keys =
      IntStream.range(0, KEYS).mapToObj(i -> "key-" + i).toArray(String[]::new);
  private final SplittableRandom random = new SplittableRandom(1);
  private final MeasuredLoop loop;

  private LocalRound(MeasuredLoop loop) {
    this.loop = loop;
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
      long measureNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[2]));
      new LocalRound(new MeasuredLoop(measureNanos, console))
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
    System.err.println("sum of what was returned: " + loop.returned());
  }

  private <V> void measure(
      String kind, ConcurrentMap<String, V> map, IntFunction<V> maker, ToIntFunction<V> reader) {
    List<V> values = IntStream.range(0, VALUES).mapToObj(maker).toList();
    for (int i = 0; i < KEYS; i++) {
      map.put(keys[i], values.get(i % VALUES));
    }
    loop.measure(
        "get_" + kind,
        () -> {
          String key = nextKey();
          return reader.applyAsInt(require(map.get(key), key));
        });
    loop.measure(
        "put_" + kind,
        () -> {
          String key = nextKey();
          return reader.applyAsInt(require(map.put(key, values.get(random.nextInt(VALUES))), key));
        });
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

  private String nextKey() {
    return keys[random.nextInt(KEYS)];
  }

  private record JdkDriver() implements LocalDriver {
    @Override
    public <V> ConcurrentMap<String, V> open(String name, int segments) {
      return new ConcurrentHashMap<>();
    }
  }
}
