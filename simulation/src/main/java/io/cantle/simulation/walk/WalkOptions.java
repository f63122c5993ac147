package io.cantle.simulation.walk;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code ./cantle simulate} for walks over topologies alone.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param first the first seed
 * @param walks how many seeds
 * @param threads how many walks run side by side
 * @param isNarrated whether the story of the walk is printed
 * @param json where the figures are written as JSON, or null
 */
public record WalkOptions(
    long first, int walks, int threads, boolean isNarrated, @Nullable Path json) {
  private static final String WALKS = "--topologies";
  private static final int MAX_WALKS = 100_000_000;
  private static final int MAX_THREADS = 256;

  /** Returns whether the arguments are about walks. */
  public static boolean wanted(List<String> words) {
    return words.contains(WALKS);
  }

  /**
   * Parses the arguments.
   *
   * @throws IllegalArgumentException with a message for people if they make no sense
   */
  public static WalkOptions of(List<String> words) {
    long first = 1;
    int walks = 1;
    int threads = Runtime.getRuntime().availableProcessors();
    boolean single = false;
    boolean many = false;
    Path json = null;
    Iterator<String> rest = words.iterator();
    while (rest.hasNext()) {
      String word = rest.next();
      switch (word) {
        case WALKS -> walks = (int) number(word, rest, 1, MAX_WALKS);
        case "--first" -> {
          first = number(word, rest, Long.MIN_VALUE, Long.MAX_VALUE - MAX_WALKS);
          many = true;
        }
        case "--seed" -> {
          first = number(word, rest, Long.MIN_VALUE, Long.MAX_VALUE - MAX_WALKS);
          single = true;
        }
        case "--threads" -> threads = (int) number(word, rest, 1, MAX_THREADS);
        case "--trace" -> {} // One walk tells its story anyway.
        case "--json" -> json = Path.of(value(word, rest));
        default ->
            throw new IllegalArgumentException(
                "unknown option " + word + " beside " + WALKS + "; see --help");
      }
    }
    if (single && many) {
      throw new IllegalArgumentException("--seed stands alone, without --first");
    }
    return new WalkOptions(first, single ? 1 : walks, threads, single, json);
  }

  private static String value(String option, Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value; see --help");
    }
    return rest.next();
  }

  private static long number(String option, Iterator<String> rest, long least, long most) {
    String text = value(option, rest);
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " " + text + " is not a whole number", e);
    }
    throw new IllegalArgumentException(
        option + " " + text + " is not within " + least + " to " + most);
  }
}
