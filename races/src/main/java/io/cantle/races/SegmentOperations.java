package io.cantle.races;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * The operations that Lincheck interleaves. Calls on one key must be linearizable: there is an
 * order in which one thread would get the same answers. A scan is no snapshot, so it answers only
 * what is the same in every order: it met no key twice, and met the key that is there throughout.
 * The segment begins with three entries, so a table on the heap has room for the first new key, in
 * front of others, and is copied for the second.
 *
 * <p><b>Threading:</b> Lincheck's threads.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:6")
@Param(name = "value", gen = IntGen.class, conf = "2:9")
public final class SegmentOperations {
  private static final int STAYING_KEY = 7;

  private final RacedSegment segment = new RacedSegment(0, 2, STAYING_KEY);

  /** Creates the segment, for one scenario. */
  public SegmentOperations() {}

  /** Puts a value and returns the one before. */
  @Operation(blocking = true)
  public int put(@Param(name = "key") int key, @Param(name = "value") int value) {
    return segment.put(key, value);
  }

  /** Removes an entry and returns its value. */
  @Operation(blocking = true)
  public int remove(@Param(name = "key") int key) {
    return segment.remove(key);
  }

  /** Reads a value. */
  @Operation
  public int get(@Param(name = "key") int key) {
    return segment.get(key);
  }

  /** Whether a scan kept the order and met the staying key. */
  @Operation
  public boolean scanIsWhole() {
    int seen = segment.scan();
    return seen != RacedSegment.OUT_OF_ORDER && (seen & (1 << STAYING_KEY)) != 0;
  }
}
