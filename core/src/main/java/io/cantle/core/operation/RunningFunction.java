package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The key for which a function of {@code compute} or the like runs on a thread. A function that
 * wrote this key would wait for itself, or overtake itself again and again. So each write looks
 * here first, through whatever cache object it comes. A call that a function makes on another
 * thread of this node is checked as well, where the node itself provides that thread.
 *
 * <p><b>Threading:</b> immutable; each thread has its own.
 *
 * @param grid the grid, since one process may be part of several
 * @param cache the index of the cache
 * @param outer what runs around this function, or null
 */
public record RunningFunction(
    UUID grid, int cache, ByteBuffer key, @Nullable RunningFunction outer) {
  private static final ScopedValue<RunningFunction> CURRENT = ScopedValue.newInstance();

  /** A function for a key, called by the function that runs on this thread, if there is one. */
  static RunningFunction of(UUID grid, int cache, ByteSlice key) {
    return new RunningFunction(
        grid, cache, toBuffer(key), CURRENT.isBound() ? CURRENT.get() : null);
  }

  private static ByteBuffer toBuffer(ByteSlice key) {
    return ByteBuffer.wrap(key.bytes(), key.offset(), key.length());
  }

  /** Runs the function. */
  <T extends @Nullable Object> T call(Supplier<T> function) {
    return ScopedValue.where(CURRENT, this).call(function::get);
  }

  /** Runs the function, together with what becomes of its result. */
  void run(Runnable function) {
    ScopedValue.where(CURRENT, this).run(function);
  }

  /** A task that runs on another thread as a part of what runs on this one. */
  public static Runnable carryTo(Runnable task) {
    if (!CURRENT.isBound()) {
      return task;
    }
    RunningFunction running = CURRENT.get();
    return () -> ScopedValue.where(CURRENT, running).run(task);
  }

  /**
   * Checks a write of a key.
   *
   * @throws IllegalStateException if the calling thread runs a function for this key
   */
  static void checkMayWrite(UUID grid, int cache, ByteSlice key) {
    if (CURRENT.isBound()) {
      for (RunningFunction running = CURRENT.get(); running != null; running = running.outer) {
        if (running.cache == cache
            && running.grid.equals(grid)
            && running.key.equals(toBuffer(key))) {
          throw new IllegalStateException(
              "a function must not write the key it runs for: return the new value instead; it may"
                  + " write other keys");
        }
      }
    }
  }
}
