package io.cantle.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * An arena of a simulated node. Its memory is on the heap, because a node that is killed closes
 * nothing.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class SimulatedArena implements Arena {
  /** Makes an arena without memory. */
  public SimulatedArena() {}

  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    return MemorySegment.ofArray(new long[Math.toIntExact(byteSize / Long.BYTES)]);
  }

  @Override
  public MemorySegment.Scope scope() {
    return Arena.global().scope();
  }

  @Override
  public void close() {
    // The garbage collector takes the arrays.
  }
}
