package io.cantle.core.container;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Makes arenas of a machine that has so much memory, and counts what they take together.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class CountedArenas implements Supplier<Arena> {
  private final long limitBytes;
  private final AtomicLong reserved = new AtomicLong();
  private final AtomicLong mostReserved = new AtomicLong();

  /** Creates the memory of a machine. */
  public CountedArenas(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** What the arenas take that are open. */
  public long reservedBytes() {
    return reserved.get();
  }

  /** The most that they have taken at once. */
  public long mostReservedBytes() {
    return mostReserved.get();
  }

  @Override
  public Arena get() {
    return new CountedArena();
  }

  private final class CountedArena implements Arena {
    private final Arena arena = Arena.ofShared();
    private long bytes;

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
      long now = reserved.addAndGet(byteSize);
      if (now > limitBytes) {
        reserved.addAndGet(-byteSize);
        throw new OutOfMemoryError("none of " + byteSize);
      }
      mostReserved.accumulateAndGet(now, Math::max);
      bytes += byteSize;
      return arena.allocate(byteSize, byteAlignment);
    }

    @Override
    public MemorySegment.Scope scope() {
      return arena.scope();
    }

    @Override
    public void close() {
      arena.close();
      reserved.addAndGet(-bytes);
    }
  }
}
