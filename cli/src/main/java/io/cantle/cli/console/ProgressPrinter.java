package io.cantle.cli.console;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Prints on stdout what happens, with one line for each step. A step that takes a while prints ten
 * dots on its way.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class ProgressPrinter {
  private static final int DOT_COUNT = 10;
  private static final String INDENT_TEXT = " ".repeat(10);

  private final PrintStream out;
  private boolean lineOpen;
  private long expectedCount = 1;
  private int printedDots;

  /** Creates a printer that prints to {@code out}. */
  public ProgressPrinter(PrintStream out) {
    this.out = out;
  }

  /** Whether the output's character set has block characters. */
  public boolean supportsBlockCharacters() {
    return out.charset().newEncoder().canEncode('█');
  }

  /** Prints a line of its own. */
  public void printLine(String text) {
    breakOpenLine();
    out.println(text);
  }

  /** Begins a step that counts up to {@code expected}. */
  public void beginStep(String step, long expected) {
    breakOpenLine();
    out.print(step + " ".repeat(INDENT_TEXT.length() - step.length()));
    out.flush();
    lineOpen = true;
    expectedCount = Math.max(1, expected);
    printedDots = 0;
  }

  /** Reports how far the step has come. */
  public void updateProgress(long count) {
    long due = Math.min(DOT_COUNT, count * DOT_COUNT / expectedCount);
    if (printedDots < due && !lineOpen) {
      out.print(INDENT_TEXT);
      lineOpen = true;
    }
    for (; printedDots < due; printedDots++) {
      out.print('.');
    }
    out.flush();
  }

  /** Prints something that happened in the middle of a step. */
  public void printDetail(String text) {
    breakOpenLine();
    out.println(INDENT_TEXT + text);
  }

  /** Ends the step with a text. */
  public void endStep(String text) {
    if (printedDots > 0 && lineOpen) {
      out.print(' ');
    } else if (!lineOpen) {
      out.print(INDENT_TEXT);
    }
    out.println(text);
    lineOpen = false;
  }

  /** Ends the current line if one is open. */
  public void breakOpenLine() {
    if (lineOpen) {
      out.println();
      lineOpen = false;
    }
  }

  /** Formats a number for people to read. */
  public static String formatCount(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Formats the time since this reading of {@link System#nanoTime}. */
  public static String formatElapsed(long began) {
    return String.format(Locale.ROOT, "%.2f s", (System.nanoTime() - began) / 1e9);
  }
}
