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
   *     of segments; the label of the side with one segment that is measured in turn, or nothing;
   *     how many milliseconds a measure takes, after as long a warm-up
   */
  public static void main(String[] args) {
    PrintStream console = System.out;
    System.setOut(System.err);
    try {
      LocalDriver driver =
          args[0].equals(JDK)
              ? new JdkDriver()
              : ServiceLoader.load(LocalDriver.class).iterator().next();
      long measureNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[3]));
      new LocalRound(new MeasuredLoop(measureNanos, args[0], console))
          .run(driver, Integer.parseInt(args[1]), args[2]);
    } catch (RuntimeException | LinkageError failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(0);
  }

  private void run(LocalDriver driver, int segments, String otherSide) {
    if (otherSide.isEmpty()) {
      measureHeap(driver, segments);
    }
    measure("text", driver, segments, otherSide, i -> "value-" + i, String::length);
    measure(
        "bytes",
        driver,
        segments,
        otherSide,
        i -> {
          byte[] bytes = new byte[VALUE_BYTES];
          Arrays.fill(bytes, (byte) i);
          return bytes;
        },
        bytes -> bytes[0]);
    System.err.println("sum of what was returned: " + loop.returned());
  }

  /** Writes what an entry takes if nobody else has its key and its value, an array. */
  private void measureHeap(LocalDriver driver, int segments) {
    fillWithNew(driver.open("warm-up", segments));
    long before = MeasuredLoop.usedHeapBytes();
    ConcurrentMap<String, byte[]> map = driver.open("heap", segments);
    fillWithNew(map);
    loop.write("heap_bytes", (double) (MeasuredLoop.usedHeapBytes() - before) / KEYS);
    map.clear();
  }

  private static void fillWithNew(ConcurrentMap<String, byte[]> map) {
    for (int i = 0; i < KEYS; i++) {
      map.put("key-" + i, new byte[VALUE_BYTES]);
    }
  }

  private <V> void measure(
      String kind,
      LocalDriver driver,
      int segments,
      String otherSide,
      IntFunction<V> maker,
      ToIntFunction<V> reader) {
    List<V> values = IntStream.range(0, VALUES).mapToObj(maker).toList();
    ConcurrentMap<String, V> map = open(kind, driver, segments, maker);
    if (otherSide.isEmpty()) {
      collect();
      loop.measure("get_" + kind, () -> get(map, reader));
      loop.measure("put_" + kind, () -> put(map, values, reader));
    } else {
      ConcurrentMap<String, V> other = open(kind + "-1", driver, 1, maker);
      collect();
      loop.measureInTurn(
          "get_" + kind, () -> get(map, reader), otherSide, () -> get(other, reader));
      loop.measureInTurn(
          "put_" + kind,
          () -> put(map, values, reader),
          otherSide,
          () -> put(other, values, reader));
    }
    if (map.size() != KEYS) {
      throw new IllegalStateException("size is " + map.size() + " instead of " + KEYS);
    }
  }

  /**
   * Has the heap collected, as it is most of the time in a program that runs for long. While the
   * JVM is cold, filling a map leaves more garbage than later, and entries lie far apart in it.
   */
  private static void collect() {
    System.gc();
  }

  /** Opens a map in which each key has a value of its own, as in a program. */
  private <V> ConcurrentMap<String, V> open(
      String name, LocalDriver driver, int segments, IntFunction<V> maker) {
    ConcurrentMap<String, V> map = driver.open(name, segments);
    for (int i = 0; i < KEYS; i++) {
      map.put(keys[i], maker.apply(i));
    }
    return map;
  }

  private <V> int get(ConcurrentMap<String, V> map, ToIntFunction<V> reader) {
    String key = nextKey();
    return reader.applyAsInt(require(map.get(key), key));
  }

  private <V> int put(ConcurrentMap<String, V> map, List<V> values, ToIntFunction<V> reader) {
    String key = nextKey();
    return reader.applyAsInt(require(map.put(key, values.get(random.nextInt(VALUES))), key));
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
