package io.cantle.core.transport;

import io.cantle.core.base.PrintableText;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A log for problems that outsiders can cause as often as they like. It writes one line per minute
 * for each kind of problem, and says how often the kind has occurred since the previous line. A
 * line is short and printable, whatever a stranger put into it.
 *
 * <p>Kinds are constants of the program. Kinds beyond {@link #MAX_KINDS} share one.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class RateLimitedLog {
  /** How long a kind of problem is not logged after a line. */
  public static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The longest line in characters. */
  public static final int MAX_LINE_CHARS = 500;

  static final int MAX_KINDS = 64;

  /** The causes that are logged of one exception; a chain may be long, or a circle. */
  static final int MAX_CAUSES = 8;

  private static final String OTHER = "other";

  private final System.Logger logger;
  private final LongSupplier nanoTime;
  private final Map<String, ProblemKind> problems = new ConcurrentHashMap<>();

  /** Creates a log that writes to a logger, timed by a monotonic clock. */
  public RateLimitedLog(System.Logger logger, LongSupplier nanoTime) {
    this.logger = logger;
    this.nanoTime = nanoTime;
  }

  /** Logs a warning, or only counts it if one of its kind was logged within a minute. */
  public void warn(String kind, Supplier<String> line) {
    log(System.Logger.Level.WARNING, kind, line, null);
  }

  /**
   * Logs a line with an exception, or only counts it if one of its kind was logged within a minute.
   */
  public void log(
      System.Logger.Level level, String kind, Supplier<String> line, @Nullable Throwable thrown) {
    ProblemKind problem = problems.get(kind);
    if (problem == null) {
      String known = problems.size() < MAX_KINDS ? kind : OTHER;
      problem = problems.computeIfAbsent(known, _ -> new ProblemKind(nanoTime.getAsLong()));
    }
    problem.occurrences.increment();
    if (problem.isDue(nanoTime.getAsLong()) && logger.isLoggable(level)) {
      logger.log(
          level,
          printable(line.get()) + problem.suppressedSuffix(),
          thrown == null ? null : new PrintableThrowable(thrown, MAX_CAUSES));
    }
  }

  /** How often a kind of problem has occurred, logged or not. */
  public long count(String kind) {
    ProblemKind problem = problems.get(kind);
    return problem == null ? 0 : problem.occurrences.sum();
  }

  /**
   * Returns a text with every character replaced that a terminal might interpret, and cut if it is
   * long.
   */
  static String printable(String text) {
    return PrintableText.of(text, MAX_LINE_CHARS);
  }

  /**
   * Has the stack of what was thrown, and of its message only what may be printed; its causes too.
   */
  private static final class PrintableThrowable extends Throwable {
    private static final long serialVersionUID = 1;

    PrintableThrowable(Throwable thrown, int maxCauses) {
      super(printable(String.valueOf(thrown)), causeOf(thrown, maxCauses), false, true);
      setStackTrace(thrown.getStackTrace());
    }

    private static @Nullable Throwable causeOf(Throwable thrown, int maxCauses) {
      Throwable cause = thrown.getCause();
      return cause == null || maxCauses == 0 ? null : new PrintableThrowable(cause, maxCauses - 1);
    }

    @Override
    // It has to look like the original, whose name is in its message.
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      return String.valueOf(getMessage());
    }
  }

  /** One kind of problem. */
  private static final class ProblemKind {
    private final LongAdder occurrences = new LongAdder();
    private final AtomicLong dueNanos;
    private volatile long loggedCount;

    ProblemKind(long nowNanos) {
      dueNanos = new AtomicLong(nowNanos);
    }

    /** Whether a line may be written now; true for one caller only. */
    boolean isDue(long nowNanos) {
      long due = dueNanos.get();
      return nowNanos - due >= 0 && dueNanos.compareAndSet(due, nowNanos + INTERVAL_NANOS);
    }

    /** Says how many occurrences were not logged since the last line; empty if there are none. */
    String suppressedSuffix() {
      long occurred = occurrences.sum();
      long unsaid = occurred - loggedCount - 1;
      loggedCount = occurred;
      return unsaid <= 0 ? "" : " (" + unsaid + " more like this were not logged)";
    }
  }
}
