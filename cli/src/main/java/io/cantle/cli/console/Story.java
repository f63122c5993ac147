package io.cantle.cli.console;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Tells on stdout what happens, a line per step. A step that takes a while shows ten dots on its
 * way.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class Story {
  private static final int DOTS = 10;
  private static final String INDENT = " ".repeat(10);

  private final PrintStream out;
  private boolean inLine;
  private long total = 1;
  private int dots;

  /** Tells it there. */
  public Story(PrintStream out) {
    this.out = out;
  }

  /** Whether block characters come out as such. */
  public boolean knowsBlocks() {
    return out.charset().newEncoder().canEncode('█');
  }

  /** A line of its own. */
  public void line(String text) {
    breakLine();
    out.println(text);
  }

  /** Begins a step of which {@code expected} counts will be done. */
  public void begin(String step, long expected) {
    breakLine();
    out.print(step + " ".repeat(INDENT.length() - step.length()));
    out.flush();
    inLine = true;
    total = Math.max(1, expected);
    dots = 0;
  }

  /** So far has the step come. */
  public void reached(long count) {
    long due = Math.min(DOTS, count * DOTS / total);
    if (dots < due && !inLine) {
      out.print(INDENT);
      inLine = true;
    }
    for (; dots < due; dots++) {
      out.print('.');
    }
    out.flush();
  }

  /** Something that happened in the middle of a step. */
  public void detail(String text) {
    breakLine();
    out.println(INDENT + text);
  }

  /** Ends the step. */
  public void end(String text) {
    if (dots > 0 && inLine) {
      out.print(' ');
    } else if (!inLine) {
      out.print(INDENT);
    }
    out.println(text);
    inLine = false;
  }

  /** Ends the line that has begun, if one has. */
  public void breakLine() {
    if (inLine) {
      out.println();
      inLine = false;
    }
  }

  /** A number as people read it. */
  public static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** How long something took that began at this reading of {@link System#nanoTime}. */
  public static String since(long began) {
    return String.format(Locale.ROOT, "%.2f s", (System.nanoTime() - began) / 1e9);
  }
}
