package io.cantle.core.base;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
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

  private final System.Logger logger;
  private final Set<String> callSites = ConcurrentHashMap.newKeySet();
  private volatile boolean isFull;

  /** Whether a function was seen; held by its class, so that both are unloaded together. */
  private final ClassValue<AtomicBoolean> functions =
      new ClassValue<>() {
        @Override
        protected AtomicBoolean computeValue(Class<?> type) {
          return new AtomicBoolean();
        }
      };

  /** Creates a log that has seen no call site. */
  public CallSiteLog(System.Logger logger) {
    this.logger = logger;
  }

  /**
   * Logs advice at INFO, with the line of the calling user, unless it was logged for that line. It
   * walks the stack of the calling thread each time, which takes a few microseconds.
   *
   * @param advice returns null if this call needs none
   */
  public void advise(Supplier<? extends @Nullable String> advice) {
    if (isLogging()) {
      log(callSite(), advice);
    }
  }

  /**
   * Logs advice about a function, whose class mostly stands for a call site of its own. It looks at
   * a function of the same class only once, and costs next to nothing after that. On a thread that
   * no user is on, it names the class that made the function.
   */
  public void advise(Object function, Supplier<String> advice) {
    AtomicBoolean seen = functions.get(function.getClass());
    if (!seen.get() && seen.compareAndSet(false, true) && isLogging()) {
      String callSite = callSite();
      log(callSite == null ? "a function of " + ownerOf(function.getClass()) : callSite, advice);
    }
  }

  private boolean isLogging() {
    return !isFull && logger.isLoggable(System.Logger.Level.INFO);
  }

  private void log(@Nullable String callSite, Supplier<? extends @Nullable String> advice) {
    if (callSite == null || callSites.contains(callSite)) {
      return;
    }
    String text = advice.get();
    if (text != null && callSites.add(callSite)) {
      isFull = callSites.size() >= MAX_CALL_SITES;
      logger.log(System.Logger.Level.INFO, text + " (at " + callSite + ")");
    }
  }

  /** The class whose code a function is: a lambda has the name of its maker before its own. */
  private static String ownerOf(Class<?> function) {
    String name = function.getName();
    int lambda = name.indexOf("$$Lambda");
    return lambda < 0 ? name : name.substring(0, lambda);
  }

  /** The innermost frame of the user on this thread, or null if there is none. */
  private static @Nullable String callSite() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames
                    .filter(frame -> !isPlatform(frame.getDeclaringClass()))
                    .filter(frame -> !GridPackages.contains(frame.getClassName()))
                    .findFirst())
        .map(frame -> frame.toStackTraceElement().toString())
        .orElse(null);
  }

  private static boolean isPlatform(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader.equals(ClassLoader.getPlatformClassLoader());
  }
}
