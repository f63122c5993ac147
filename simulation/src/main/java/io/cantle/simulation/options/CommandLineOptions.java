package io.cantle.simulation.options;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/**
 * The words of a command line, read from left to right: an option, then its value if it has one.
 * Every method that reads a value reads that of the option before, which its failure names.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class CommandLineOptions {
  private static final int MAX_THREADS = 256;

  private final Iterator<String> words;
  private String option = "";

  /** Starts at the first of these words. */
  public CommandLineOptions(List<String> words) {
    this.words = words.iterator();
  }

  /** Returns whether there is another word. */
  public boolean hasNext() {
    return words.hasNext();
  }

  /** Returns the next option. */
  public String next() {
    option = words.next();
    return option;
  }

  /**
   * Returns the value of the option.
   *
   * @throws IllegalArgumentException with a message for people if there is none
   */
  public String value() {
    if (!words.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value; see --help");
    }
    return words.next();
  }

  /**
   * Returns the value of the option as a path.
   *
   * @throws IllegalArgumentException with a message for people if it is none
   */
  public Path path() {
    return Path.of(value());
  }

  /**
   * Returns the value of the option as a number.
   *
   * @throws IllegalArgumentException with a message for people if it is none within the limits
   */
  public long number(long min, long max) {
    String text = value();
    try {
      long number = Long.parseLong(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " " + text + " is not a whole number", e);
    }
    throw new IllegalArgumentException(
        option + " " + text + " is not within " + min + " to " + max);
  }

  /**
   * Returns the value of the option as a number of things.
   *
   * @throws IllegalArgumentException with a message for people if it is none within 1 to the limit
   */
  public int count(int max) {
    return (int) number(1, max);
  }

  /**
   * Returns the value of the option as a number of threads.
   *
   * @throws IllegalArgumentException with a message for people if it is none within 1 to 256
   */
  public int threads() {
    return count(MAX_THREADS);
  }
}
