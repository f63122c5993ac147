package io.cantle.simulation.planted;

import io.cantle.simulation.options.CommandLineOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code ./cantle simulate} when bugs are planted.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param bugs which bugs; those of a campaign if none was named
 * @param limits when a hunt is given up
 * @param threads how many hunts run side by side
 * @param json where the figures are written as JSON, or null
 * @param childWords the arguments of the one run with a planted bug, or null for a campaign
 */
record PlantedBugOptions(
    List<PlantedBug> bugs,
    BugHunt.Limits limits,
    int threads,
    @Nullable Path json,
    @Nullable List<String> childWords) {
  private static final String CAMPAIGN_HELP = "--planted";
  private static final String ONE_RUN_HELP = "--plant";
  private static final long DEFAULT_SEEDS = 2_000;
  private static final long DEFAULT_SECONDS = 240;
  private static final long MAX_SEEDS = 10_000_000;
  private static final long MAX_SECONDS = 86_400;

  /** Returns whether the arguments are about planted bugs. */
  static boolean isRequested(List<String> words) {
    return words.contains(CAMPAIGN_HELP) || words.contains(ONE_RUN_HELP);
  }

  /**
   * Parses the arguments.
   *
   * @throws IllegalArgumentException with a message for people if they make no sense
   */
  static PlantedBugOptions of(List<String> words) {
    return words.contains(ONE_RUN_HELP) ? parseOneRun(words) : parseCampaign(words);
  }

  private static PlantedBugOptions parseOneRun(List<String> words) {
    List<String> child = new ArrayList<>(words);
    int at = child.indexOf(ONE_RUN_HELP);
    if (at + 1 == child.size()) {
      throw new IllegalArgumentException(
          ONE_RUN_HELP + " needs the name of a bug: " + PlantedBugCatalog.names());
    }
    PlantedBug bug = PlantedBugCatalog.find(child.get(at + 1));
    child.subList(at, at + 2).clear();
    if (child.contains("--versions")) {
      throw new IllegalArgumentException("a bug brings its own versions: --versions stands alone");
    }
    if (isRequested(child)) {
      throw new IllegalArgumentException("one bug at a time, and " + ONE_RUN_HELP + " alone");
    }
    if (child.contains("--seed") && !child.contains("--trace")) {
      child.add("--trace");
    }
    BugHunt.Limits none = new BugHunt.Limits(1, 1, 1);
    return new PlantedBugOptions(List.of(bug), none, 1, null, List.copyOf(child));
  }

  private static PlantedBugOptions parseCampaign(List<String> words) {
    List<PlantedBug> bugs = new ArrayList<>();
    long first = 1;
    long seeds = DEFAULT_SEEDS;
    long seconds = DEFAULT_SECONDS;
    int threads = Runtime.getRuntime().availableProcessors();
    Path json = null;
    CommandLineOptions options = new CommandLineOptions(words);
    while (options.hasNext()) {
      String word = options.next();
      switch (word) {
        case CAMPAIGN_HELP -> {}
        case "--first" -> first = options.number(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2);
        case "--seeds" -> seeds = options.number(1, MAX_SEEDS);
        case "--seconds" -> seconds = options.number(1, MAX_SECONDS);
        case "--threads" -> threads = options.threads();
        case "--json" -> json = options.path();
        default -> {
          if (word.startsWith("-")) {
            throw new IllegalArgumentException(
                "unknown option " + word + " beside " + CAMPAIGN_HELP + "; see --help");
          }
          bugs.add(PlantedBugCatalog.find(word));
        }
      }
    }
    return new PlantedBugOptions(
        bugs.isEmpty() ? PlantedBugCatalog.all() : List.copyOf(bugs),
        new BugHunt.Limits(first, seeds, seconds),
        threads,
        json,
        null);
  }
}
