package io.cantle.bench.cantle;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.cantle.bench.local.MeasuredLoop;
import io.cantle.core.container.HeapContainer;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * One round of one side of {@code bench container}: the program of its JVM. It writes the lines of
 * a {@link MeasuredLoop}.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class ContainerRound {
  private static final int KEYS = 100_000;
  private static final int KEY_BYTES = 16;
  private static final int VALUE_BYTES = 1_000;
  private static final int GETS_PER_PUT = 9;
  private static final int COLLECTIONS = 3;

  private final byte[][] keys = new byte[KEYS][KEY_BYTES];
  private final byte[] value = new byte[VALUE_BYTES];
  private final SplittableRandom random = new SplittableRandom(1);
  private final MeasuredLoop loop;
  private int calls;

  private ContainerRound(MeasuredLoop loop) {
    this.loop = loop;
    random.nextBytes(value);
    for (byte[] key : keys) {
      random.nextBytes(key);
    }
  }

  /**
   * Runs the round.
   *
   * @param args the side; how many milliseconds a measure takes, after as long a warm-up
   */
  public static void main(String[] args) {
    PrintStream console = System.out;
    System.setOut(System.err);
    try {
      long measureNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[1]));
      new ContainerRound(new MeasuredLoop(measureNanos, console)).run(args[0]);
    } catch (RuntimeException | LinkageError failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(0);
  }

  private static ByteTable open(String side) {
    return switch (side) {
      case "heap" -> new SegmentedTable(256, HeapContainer::new);
      case "one_segment" -> new SegmentedTable(1, HeapContainer::new);
      case "jdk" -> new MapTable(new ConcurrentHashMap<>());
      case "caffeine" ->
          new MapTable(
              Caffeine.newBuilder()
                  .maximumSize(2L * KEYS)
                  .<MapTable.ByteKey, byte[]>build()
                  .asMap());
      default -> throw new IllegalArgumentException("there is no side " + side);
    };
  }

  private void run(String side) {
    // What is loaded with the first entries is no part of them.
    fill(open(side));
    long usedBefore = usedHeap();
    ByteTable table = open(side);
    fill(table);
    long payload = (long) KEYS * (KEY_BYTES + VALUE_BYTES);
    loop.write("heap_bytes", (double) (usedHeap() - usedBefore - payload) / KEYS);
    loop.measure("get", () -> table.get(nextKey()));
    loop.measure("put", () -> put(table));
    loop.measure(
        "mixed", () -> ++calls % (GETS_PER_PUT + 1) == 0 ? put(table) : table.get(nextKey()));
    loop.measureLong("scan", KEYS, table::scan);
    loop.measure("size", table::size);
    if (table.size() != KEYS) {
      throw new IllegalStateException("size is " + table.size() + " instead of " + KEYS);
    }
    System.err.println("sum of what was returned: " + loop.returned());
  }

  private void fill(ByteTable table) {
    for (byte[] key : keys) {
      table.put(key, value);
    }
  }

  private byte[] nextKey() {
    return keys[random.nextInt(KEYS)];
  }

  private int put(ByteTable table) {
    table.put(nextKey(), value);
    return 0;
  }

  private static long usedHeap() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
