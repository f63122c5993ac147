package io.cantle.core.base;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs advice about the code of the user once for each line that calls the grid. A call site is the
 * innermost frame that belongs to neither Cantle nor the JDK. At most {@value #MAX_CALL_SITES} are
 * remembered. After that nothing is logged any more, since a program with so many has been told.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class CallSiteLog {
  /** The most call sites that are remembered. */
  public static final int MAX_CALL_SITES = 1_000;

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private final System.Logger logger;

  /** The lines that were advised, as text. */
  private final Set<String> callSites = ConcurrentHashMap.newKeySet();

  /** The calls in these lines, which are found faster than the text of a line. */
  private final Set<CallPosition> callPositions = ConcurrentHashMap.newKeySet();

  private volatile boolean isFull;

  /** A place in the code that calls the grid. */
  private record CallPosition(String className, String methodName, int byteCodeIndex) {
    static CallPosition of(StackWalker.StackFrame frame) {
      return new CallPosition(
          frame.getClassName(), frame.getMethodName(), frame.getByteCodeIndex());
    }
  }

  /** Creates a log that has seen no call site. */
  public CallSiteLog(System.Logger logger) {
    this.logger = logger;
  }

  /**
   * Logs advice at INFO, with the line of the calling user, unless it was logged for that line. It
   * walks over a few frames of the calling thread each time, in about a microsecond.
   *
   * @param advice returns null if this call needs none
   */
  public void advise(Supplier<? extends @Nullable String> advice) {
    if (isLogging()) {
      adviseAt(callingFrame(), advice);
    }
  }

  /**
   * Logs advice about a function that a call was given. On a thread that no user is on, it names
   * the class that made the function.
   */
  public void advise(Object function, Supplier<String> advice) {
    if (!isLogging()) {
      return;
    }
    StackWalker.StackFrame frame = callingFrame();
    if (frame != null) {
      adviseAt(frame, advice);
    } else {
      log("a function of " + ownerOf(function.getClass()), advice);
    }
  }

  private void adviseAt(
      StackWalker.@Nullable StackFrame frame, Supplier<? extends @Nullable String> advice) {
    if (frame != null && !callPositions.contains(CallPosition.of(frame))) {
      String callSite = frame.toStackTraceElement().toString();
      if (log(callSite, advice) && callPositions.size() < MAX_CALL_SITES) {
        callPositions.add(CallPosition.of(frame));
      }
    }
  }

  private boolean isLogging() {
    return !isFull && logger.isLoggable(System.Logger.Level.INFO);
  }

  /** Logs advice unless it was logged; returns whether it was logged, now or before. */
  private boolean log(String callSite, Supplier<? extends @Nullable String> advice) {
    if (callSites.contains(callSite)) {
      return true;
    }
    String text = advice.get();
    if (text != null && callSites.add(callSite)) {
      isFull = callSites.size() >= MAX_CALL_SITES;
      logger.log(System.Logger.Level.INFO, text + " (at " + callSite + ")");
    }
    return text != null;
  }

  /** The class whose code a function is: a lambda has the name of its maker before its own. */
  private static String ownerOf(Class<?> function) {
    String name = function.getName();
    int lambda = name.indexOf("$$Lambda");
    return lambda < 0 ? name : name.substring(0, lambda);
  }

  /** The innermost frame of the user on this thread, or null if there is none. */
  private static StackWalker.@Nullable StackFrame callingFrame() {
    return WALKER
        .walk(
            frames ->
                frames
                    .filter(frame -> !isPlatform(frame.getDeclaringClass()))
                    .filter(frame -> !GridPackages.contains(frame.getClassName()))
                    .findFirst())
        .orElse(null);
  }

  private static boolean isPlatform(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader.equals(ClassLoader.getPlatformClassLoader());
  }
}
