package io.cantle.simulation.walk;

import io.cantle.simulation.options.CommandLineOptions;
import java.nio.file.Path;
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
    CommandLineOptions options = new CommandLineOptions(words);
    while (options.hasNext()) {
      String word = options.next();
      switch (word) {
        case WALKS -> walks = options.count(MAX_WALKS);
        case "--first" -> {
          first = options.number(Long.MIN_VALUE, Long.MAX_VALUE - MAX_WALKS);
          many = true;
        }
        case "--seed" -> {
          first = options.number(Long.MIN_VALUE, Long.MAX_VALUE - MAX_WALKS);
          single = true;
        }
        case "--threads" -> threads = options.threads();
        case "--trace" -> {} // One walk tells its story anyway.
        case "--json" -> json = options.path();
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
}
