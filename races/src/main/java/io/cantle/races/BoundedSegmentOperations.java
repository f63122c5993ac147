package io.cantle.races;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * What Lincheck interleaves in a segment with a bound. Which entry is evicted depends on marks that
 * readers set at any time, so these operations answer only what is the same in every order: whether
 * a rule was kept.
 *
 * <ul>
 *   <li>A read that begins when a write has ended returns nothing earlier than that write.
 *   <li>A scan keeps the order, and meets a key that stays unless that was evicted.
 *   <li>When all is done, each entry can be evicted, and none is left.
 * </ul>
 *
 * <p><b>Threading:</b> Lincheck's threads.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:3")
public final class BoundedSegmentOperations {
  private static final int STAYING_KEY = 7;
  private static final int KEYS = 8;

  private final RacedSegment segment = new RacedSegment(0, 2, STAYING_KEY);
  private final AtomicInteger lastValue = new AtomicInteger(1);

  /** The value of the last write that has ended, for each key. */
  private final AtomicIntegerArray floors = new AtomicIntegerArray(KEYS);

  /** Creates the segment, for one scenario. */
  public BoundedSegmentOperations() {}

  /** Puts a value that is later than all before. */
  @Operation(blocking = true)
  public boolean put(@Param(name = "key") int key) {
    // Another write of the same key must not come between, or the later value is not the last.
    synchronized (segment) {
      int value = lastValue.incrementAndGet();
      int before = segment.put(key, value);
      floors.set(key, value);
      return before != RacedSegment.TORN;
    }
  }

  /** Removes an entry. */
  @Operation(blocking = true)
  public boolean remove(@Param(name = "key") int key) {
    synchronized (segment) {
      int before = segment.remove(key);
      floors.set(key, lastValue.incrementAndGet());
      return before != RacedSegment.TORN;
    }
  }

  /** Finds an entry, which is marked and remembered. */
  @Operation
  public boolean get(@Param(name = "key") int key) {
    int floor = floors.get(key);
    return isValid(segment.getRemembered(key), floor);
  }

  private static boolean isValid(int value, int floor) {
    return value == RacedSegment.NOTHING || value >= Math.max(1, floor);
  }

  /** Whether a scan kept the order and met the staying key. */
  @Operation
  public boolean scanIsWhole() {
    int seen = segment.scan();
    return seen != RacedSegment.OUT_OF_ORDER
        && ((seen | segment.evicted()) & (1 << STAYING_KEY)) != 0;
  }

  /** Evicts everything at the end. */
  @Validate
  public void evictAll() {
    if (!segment.evictAll()) {
      throw new IllegalStateException("the queue does not know each entry once");
    }
  }
}
