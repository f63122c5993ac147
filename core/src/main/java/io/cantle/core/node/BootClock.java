package io.cantle.core.node;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Linux's CLOCK_BOOTTIME, which continues while the machine is suspended. The JDK has no method
 * that reads it, and calling the C library prints a warning unless the user has enabled native
 * access ({@code --enable-native-access=ALL-UNNAMED}, or the name of this module). It is therefore
 * read only where that is enabled already; elsewhere the time of day is used instead.
 *
 * <p><b>Threading:</b> any thread.
 */
final class BootClock {
  private static final int CLOCK_BOOTTIME = 7;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  /** The function {@code int clock_gettime(clockid_t, struct timespec *)}, or null. */
  private static final @Nullable MethodHandle CLOCK_GETTIME = linkClockGettime();

  private BootClock() {}

  /** Reads the clock, in nanoseconds; always 0 if it is not available. */
  static long nanos() {
    return CLOCK_GETTIME == null ? 0 : read(CLOCK_GETTIME);
  }

  private static long read(MethodHandle clockGettime) {
    // The struct timespec: seconds and nanoseconds.
    long[] time = new long[2];
    try {
      int _ = (int) clockGettime.invokeExact(CLOCK_BOOTTIME, MemorySegment.ofArray(time));
    } catch (Throwable e) {
      throw new IllegalStateException("clock_gettime failed, although it has worked before", e);
    }
    return time[0] * NANOS_PER_SECOND + time[1];
  }

  @SuppressWarnings("restricted") // Not called if that would print a warning.
  private static @Nullable MethodHandle linkClockGettime() {
    boolean isAllowed = BootClock.class.getModule().isNativeAccessEnabled();
    if (!isAllowed
        || !System.getProperty("os.name", "").equals("Linux")
        || ValueLayout.ADDRESS.byteSize() != Long.BYTES) {
      return null;
    }
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle found =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("clock_gettime"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
              Linker.Option.critical(true));
      return read(found) > 0 ? found : null;
    } catch (UnsupportedOperationException | IllegalStateException | NoSuchElementException e) {
      return null;
    }
  }
}
