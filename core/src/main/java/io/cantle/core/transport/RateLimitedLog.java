package io.cantle.core.transport;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs trouble that somebody outside may cause as often as they like. Of each kind of trouble one
 * line a minute is written, which says how often the kind has occurred since the line before. A
 * line is printable and short, whatever a stranger has put into it.
 *
 * <p>Kinds are constants of the program. Should there be more than {@link #MAX_KINDS}, the others
 * share one.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class RateLimitedLog {
  /** How long a kind of trouble is silent after a line. */
  public static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The longest line, in characters. */
  public static final int MAX_LINE_CHARS = 500;

  static final int MAX_KINDS = 64;

  /** What decoders put where bytes are no text. */
  private static final int UNDECODABLE = 0xFFFD;

  private static final String OTHER = "other";

  private final System.Logger logger;
  private final LongSupplier nanoTime;
  private final Map<String, Trouble> troubles = new ConcurrentHashMap<>();

  /** Writes to a logger, by the time of a monotonic clock. */
  public RateLimitedLog(System.Logger logger, LongSupplier nanoTime) {
    this.logger = logger;
    this.nanoTime = nanoTime;
  }

  /** Logs a warning, or counts it if there was one of its kind within a minute. */
  public void warn(String kind, Supplier<String> line) {
    log(System.Logger.Level.WARNING, kind, line, null);
  }

  /** Logs a line with what was thrown, or counts it if there was one of its kind in a minute. */
  public void log(
      System.Logger.Level level, String kind, Supplier<String> line, @Nullable Throwable thrown) {
    Trouble trouble = troubles.get(kind);
    if (trouble == null) {
      String known = troubles.size() < MAX_KINDS ? kind : OTHER;
      trouble = troubles.computeIfAbsent(known, _ -> new Trouble(nanoTime.getAsLong()));
    }
    trouble.occurrences.increment();
    if (trouble.isDue(nanoTime.getAsLong()) && logger.isLoggable(level)) {
      String text = printable(line.get()) + trouble.unsaid();
      if (thrown == null) {
        logger.log(level, text);
      } else {
        logger.log(level, text, thrown);
      }
    }
  }

  /** How often a kind of trouble has occurred, logged or not. */
  public long count(String kind) {
    Trouble trouble = troubles.get(kind);
    return trouble == null ? 0 : trouble.occurrences.sum();
  }

  /** A text with every character that a terminal might obey replaced, and cut if it is long. */
  public static String printable(String text) {
    StringBuilder printed = new StringBuilder();
    text.codePoints()
        .limit(MAX_LINE_CHARS)
        .map(point -> isPrintable(point) ? point : '?')
        .forEach(printed::appendCodePoint);
    return text.codePointCount(0, text.length()) > MAX_LINE_CHARS
        ? printed.append("...").toString()
        : printed.toString();
  }

  private static boolean isPrintable(int point) {
    if (point == UNDECODABLE) {
      return false;
    }
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  /** One kind of trouble. */
  private static final class Trouble {
    private final LongAdder occurrences = new LongAdder();
    private final AtomicLong dueNanos;
    private volatile long said;

    Trouble(long nowNanos) {
      dueNanos = new AtomicLong(nowNanos);
    }

    /** Whether a line may be written; true for one caller only. */
    boolean isDue(long nowNanos) {
      long due = dueNanos.get();
      return nowNanos - due >= 0 && dueNanos.compareAndSet(due, nowNanos + INTERVAL_NANOS);
    }

    /** How many were not logged since the last line; empty when none. */
    String unsaid() {
      long occurred = occurrences.sum();
      long unsaid = occurred - said - 1;
      said = occurred;
      return unsaid <= 0 ? "" : " (" + unsaid + " more like this were not logged)";
    }
  }
}
