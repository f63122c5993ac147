package io.cantle.core.base;

import java.util.Arrays;
import java.util.stream.Stream;

/**
 * Adds the frames of the calling thread to what another thread has thrown for it. A user who prints
 * the exception looks for the line that made the call.
 *
 * <p><b>Threading:</b> the thread whose frames are added.
 */
public final class CallerFrames {
  /** Stands between the frames of the two threads. */
  private static final StackTraceElement BOUNDARY =
      new StackTraceElement("io.cantle", "calledFrom", null, -1);

  private CallerFrames() {}

  /** Adds the frames of this thread, unless the exception has them, and returns it. */
  public static <T extends Throwable> T addTo(T thrown) {
    StackTraceElement[] frames = thrown.getStackTrace();
    StackTraceElement[] here = new Throwable().getStackTrace();
    // The frame of this method, and that of the one that caught the exception at another line.
    StackTraceElement[] callers = Arrays.copyOfRange(here, Math.min(2, here.length), here.length);
    if (!endsWith(frames, callers)) {
      thrown.setStackTrace(
          Stream.of(Stream.of(frames), Stream.of(BOUNDARY), Stream.of(callers))
              .flatMap(part -> part)
              .toArray(StackTraceElement[]::new));
    }
    return thrown;
  }

  private static boolean endsWith(StackTraceElement[] frames, StackTraceElement[] end) {
    int start = frames.length - end.length;
    return start >= 0 && Arrays.equals(frames, start, frames.length, end, 0, end.length);
  }
}
