package io.cantle.bench.cantle;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.cantle.bench.local.MeasuredLoop;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.OffHeapContainer;
import io.cantle.core.memory.MemoryAccount;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * One round of one side of {@code bench container}: the program of its JVM. It writes the lines of
 * a {@link MeasuredLoop}.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class ContainerRound {
  private static final String SEGMENTED = "segmented";

  /** Is measured in turn with {@link #SEGMENTED}, in its JVM. */
  private static final String ONE_SEGMENT = "one_segment";

  private static final String BOUNDED = "bounded";
  private static final String CAFFEINE = "caffeine";
  private static final String OFF_HEAP = "off_heap";
  private static final String OFF_HEAP_IN_TURN = "off_heap_in_turn";

  /** Is measured in turn with {@link #OFF_HEAP_IN_TURN}, in its JVM. */
  private static final String HEAP_IN_TURN = "heap_in_turn";

  private static final int SEGMENTS = 256;
  private static final int KEYS = 100_000;

  /** How many keys there is room for when hit rates are measured. */
  private static final int CACHED_KEYS = 10_000;

  private static final int TRACE_CALLS = 1_000_000;
  private static final int KEY_BYTES = 16;
  private static final int VALUE_BYTES = 1_000;
  private static final int GETS_PER_PUT = 9;

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
      new ContainerRound(new MeasuredLoop(measureNanos, args[0], console)).run(args[0]);
    } catch (RuntimeException | LinkageError failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(0);
  }

  private static ByteTable open(MemoryAccount account, String side) {
    return switch (side) {
      case "heap", HEAP_IN_TURN, SEGMENTED ->
          SegmentedTable.unbounded(SEGMENTS, HeapContainer::new);
      case OFF_HEAP, OFF_HEAP_IN_TURN ->
          SegmentedTable.unbounded(SEGMENTS, () -> new OffHeapContainer(Arena::ofShared, account));
      case ONE_SEGMENT -> SegmentedTable.unbounded(1, HeapContainer::new);
      case BOUNDED -> SegmentedTable.bounded(SEGMENTS, 2 * KEYS, HeapContainer::new);
      case "jdk" -> new MapTable(new ConcurrentHashMap<>());
      case CAFFEINE -> caffeine(2 * KEYS);
      default -> throw new IllegalArgumentException("there is no side " + side);
    };
  }

  private static ByteTable caffeine(int maxEntries) {
    return new MapTable(
        Caffeine.newBuilder()
            .maximumSize(maxEntries)
            .executor(Runnable::run)
            .<MapTable.ByteKey, byte[]>build()
            .asMap());
  }

  private void run(String side) {
    // What is loaded with the first entries is no part of them.
    fill(open(new MemoryAccount(Long.MAX_VALUE), side));
    long usedBefore = MeasuredLoop.usedHeapBytes();
    MemoryAccount account = new MemoryAccount(Long.MAX_VALUE);
    ByteTable table = open(account, side);
    fill(table);
    long payload = (long) KEYS * (KEY_BYTES + VALUE_BYTES);
    long usedByTable = MeasuredLoop.usedHeapBytes() - usedBefore;
    if (side.startsWith(OFF_HEAP)) {
      loop.write("heap_bytes", (double) usedByTable / KEYS);
      loop.write("off_heap_bytes", (double) (account.reservedBytes() - payload) / KEYS);
    } else {
      loop.write("heap_bytes", (double) (usedByTable - payload) / KEYS);
    }
    if (side.equals(SEGMENTED) || side.equals(OFF_HEAP_IN_TURN)) {
      measureInTurn(table, side.equals(SEGMENTED) ? ONE_SEGMENT : HEAP_IN_TURN);
      return;
    }
    loop.measure("get", () -> table.get(nextKey()));
    loop.measure("get_entry", () -> table.getEntry(nextKey()));
    loop.measure("get_copy", () -> table.getCopy(nextKey())[VALUE_BYTES - 1]);
    loop.measure("put", () -> put(table));
    loop.measure(
        "mixed", () -> ++calls % (GETS_PER_PUT + 1) == 0 ? put(table) : table.get(nextKey()));
    loop.measureLong("scan", KEYS, table::scan);
    loop.measureLong("scan_keys", KEYS, table::scanKeys);
    loop.measure("size", table::size);
    if (table.size() != KEYS) {
      throw new IllegalStateException("size is " + table.size() + " instead of " + KEYS);
    }
    if (side.equals(BOUNDED)) {
      measureHitRates(() -> SegmentedTable.bounded(1, CACHED_KEYS, HeapContainer::new));
    } else if (side.equals(CAFFEINE)) {
      measureHitRates(() -> caffeine(CACHED_KEYS));
    }
    System.err.println("sum of what was returned: " + loop.returned());
  }

  private void measureInTurn(ByteTable table, String otherSide) {
    ByteTable other = open(new MemoryAccount(Long.MAX_VALUE), otherSide);
    fill(other);
    System.gc();
    loop.measureInTurn("get", () -> table.get(nextKey()), otherSide, () -> other.get(nextKey()));
    if (otherSide.equals(HEAP_IN_TURN)) {
      loop.measureInTurn(
          "get_copy",
          () -> table.getCopy(nextKey())[VALUE_BYTES - 1],
          otherSide,
          () -> other.getCopy(nextKey())[VALUE_BYTES - 1]);
    }
    loop.measureInTurn("put", () -> put(table), otherSide, () -> put(other));
  }

  /** Writes the part of the calls that find their key, in percent; what is not found is put. */
  private void measureHitRates(Supplier<ByteTable> tables) {
    byte[] small = {1};
    for (KeyTrace trace : KeyTrace.values()) {
      ByteTable table = tables.get();
      IntSupplier next = trace.start(KEYS, CACHED_KEYS);
      int hits = 0;
      for (int i = 0; i < TRACE_CALLS; i++) {
        byte[] key = keys[next.getAsInt()];
        if (table.find(key)) {
          hits++;
        } else {
          table.put(key, small);
        }
      }
      loop.write("hit_rate_" + trace.label(), hits * 100.0 / TRACE_CALLS);
    }
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
}
