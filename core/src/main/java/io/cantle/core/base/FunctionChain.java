package io.cantle.core.base;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys for which functions of {@code compute} and the like run, each of the functions called by
 * the one before. A function that wrote one of these keys would wait for itself, or overtake itself
 * again and again. So each write looks here first, through whatever cache object it comes.
 *
 * <p>The chain follows the work. It is bound to the thread that runs a function, carried to the
 * threads of this node that do a part of its work, and sent with functions and with requests of
 * scans. Threads that the application itself makes, or has the JDK make, cannot be followed.
 *
 * <p>A key counts by 64 bits: its hash, mixed with its grid and its cache. A chain is short, so
 * another key is as good as never taken for one of it.
 *
 * <p><b>Threading:</b> immutable; each thread has its own.
 *
 * @param keys what identifies the keys, those of the outermost function first
 */
public record FunctionChain(List<Long> keys) {
  /** The most functions that may call one another. */
  public static final int MAX_DEPTH = 256;

  /** No function runs. */
  public static final FunctionChain NONE = new FunctionChain(List.of());

  private static final ScopedValue<FunctionChain> CURRENT = ScopedValue.newInstance();

  /** Copies the list. */
  public FunctionChain {
    keys = List.copyOf(keys);
  }

  private static FunctionChain current() {
    return CURRENT.isBound() ? CURRENT.get() : NONE;
  }

  private static long identify(UUID grid, int cache, long keyHash) {
    long ofGrid = 31 * grid.getMostSignificantBits() + grid.getLeastSignificantBits();
    return 31 * (31 * ofGrid + keyHash) + cache;
  }

  /**
   * The chain of the calling thread, to which what it calls is added.
   *
   * @throws IllegalStateException if no function may be added to it
   */
  public static FunctionChain ofCaller() {
    FunctionChain chain = current();
    if (chain.keys.size() >= MAX_DEPTH) {
      throw new IllegalStateException(
          "functions call one another through caches, "
              + MAX_DEPTH
              + " deep, and no deeper: call the cache after the function has returned instead, or"
              + " use a loop");
    }
    return chain;
  }

  /** This chain with one more function, for a key with this hash. */
  public FunctionChain plus(UUID grid, int cache, long keyHash) {
    List<Long> more = new ArrayList<>(keys);
    more.add(identify(grid, cache, keyHash));
    return new FunctionChain(more);
  }

  /** Runs the innermost function. */
  public <T extends @Nullable Object> T call(Supplier<T> function) {
    return ScopedValue.where(CURRENT, this).call(function::get);
  }

  /** Runs a part of the innermost function, together with what becomes of its result. */
  public void run(Runnable part) {
    if (keys.isEmpty()) {
      part.run();
    } else {
      ScopedValue.where(CURRENT, this).run(part);
    }
  }

  /** A task that runs on another thread as a part of what runs on this one. */
  public static Runnable carryTo(Runnable task) {
    FunctionChain chain = current();
    return chain.keys.isEmpty() ? task : () -> chain.run(task);
  }

  /**
   * Checks a write of a key with this hash.
   *
   * @throws IllegalStateException if the calling thread runs a function for this key
   */
  public static void checkMayWrite(UUID grid, int cache, long keyHash) {
    if (CURRENT.isBound() && CURRENT.get().keys.contains(identify(grid, cache, keyHash))) {
      throw new IllegalStateException(
          "a function must not write the key it runs for: return the new value instead; it may"
              + " write other keys");
    }
  }

  /** Writes the keys. */
  public void write(Output out) {
    out.writeList(keys, out::writeLong);
  }

  /** Reads what {@link #write} wrote. */
  public static FunctionChain read(Input in) {
    List<Long> keys = in.readList(MAX_DEPTH, Input::readLong);
    return keys.isEmpty() ? NONE : new FunctionChain(keys);
  }
}
