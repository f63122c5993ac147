package io.cantle.simulation.planted;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The words after {@code ./cantle simulate} when bugs are planted.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param bugs which bugs, those of a campaign if none was named
 * @param limits when a hunt is given up
 * @param threads how many hunts side by side
 * @param json where the figures are written as JSON, or null
 * @param child the words of the one run with a bug planted, or null for a campaign
 */
record PlantedWords(
    List<Bug> bugs,
    Hunt.Limits limits,
    int threads,
    @Nullable Path json,
    @Nullable List<String> child) {
  private static final String CAMPAIGN = "--planted";
  private static final String ONE_RUN = "--plant";
  private static final long DEFAULT_SEEDS = 2_000;
  private static final long DEFAULT_SECONDS = 240;
  private static final long MAX_SEEDS = 10_000_000;
  private static final long MAX_SECONDS = 86_400;
  private static final int MAX_THREADS = 256;

  /** Whether the words are about planted bugs. */
  static boolean wanted(List<String> words) {
    return words.contains(CAMPAIGN) || words.contains(ONE_RUN);
  }

  /**
   * Reads the words.
   *
   * @throws IllegalArgumentException with a message for people if they make no sense
   */
  static PlantedWords of(List<String> words) {
    return words.contains(ONE_RUN) ? oneRun(words) : campaign(words);
  }

  private static PlantedWords oneRun(List<String> words) {
    List<String> child = new ArrayList<>(words);
    int at = child.indexOf(ONE_RUN);
    if (at + 1 == child.size()) {
      throw new IllegalArgumentException(ONE_RUN + " needs the name of a bug: " + Bugs.names());
    }
    Bug bug = Bugs.named(child.get(at + 1));
    child.subList(at, at + 2).clear();
    if (wanted(child)) {
      throw new IllegalArgumentException("one bug at a time, and " + ONE_RUN + " alone");
    }
    if (child.contains("--seed") && !child.contains("--trace")) {
      child.add("--trace");
    }
    Hunt.Limits none = new Hunt.Limits(1, 1, 1);
    return new PlantedWords(List.of(bug), none, 1, null, List.copyOf(child));
  }

  private static PlantedWords campaign(List<String> words) {
    List<Bug> bugs = new ArrayList<>();
    long first = 1;
    long seeds = DEFAULT_SEEDS;
    long seconds = DEFAULT_SECONDS;
    int threads = Runtime.getRuntime().availableProcessors();
    Path json = null;
    Iterator<String> rest = words.iterator();
    while (rest.hasNext()) {
      String word = rest.next();
      switch (word) {
        case CAMPAIGN -> {}
        case "--first" -> first = number(word, rest, Long.MIN_VALUE / 2, Long.MAX_VALUE / 2);
        case "--seeds" -> seeds = number(word, rest, 1, MAX_SEEDS);
        case "--seconds" -> seconds = number(word, rest, 1, MAX_SECONDS);
        case "--threads" -> threads = (int) number(word, rest, 1, MAX_THREADS);
        case "--json" -> json = Path.of(value(word, rest));
        default -> {
          if (word.startsWith("-")) {
            throw new IllegalArgumentException(
                "unknown option " + word + " beside " + CAMPAIGN + "; see --help");
          }
          bugs.add(Bugs.named(word));
        }
      }
    }
    return new PlantedWords(
        bugs.isEmpty() ? Bugs.all() : List.copyOf(bugs),
        new Hunt.Limits(first, seeds, seconds),
        threads,
        json,
        null);
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
