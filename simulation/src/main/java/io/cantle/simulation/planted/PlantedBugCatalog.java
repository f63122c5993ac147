package io.cantle.simulation.planted;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The catalog of every bug that can be planted.
 *
 * <p><b>Threading:</b> immutable.
 */
final class PlantedBugCatalog {
  private static final List<PlantedBug> ALL =
      Stream.of(
              AgreementBugs.ALL,
              LeaseBugs.ALL,
              WriteBugs.ALL,
              EpochBugs.ALL,
              TransferBugs.ALL,
              FeedBugs.ALL,
              CapacityBugs.ALL,
              ScanBugs.ALL,
              MemoryBugs.ALL,
              StreamBugs.ALL,
              ExpiryBugs.ALL,
              RestartBugs.ALL,
              PlannerBugs.ALL,
              AvailableBugs.ALL,
              DestroyBugs.ALL,
              EvictionBugs.ALL,
              ScatteredBugs.ALL,
              OffHeapBugs.ALL,
              VersionBugs.ALL)
          .flatMap(List::stream)
          .toList();

  private static final int MAX_NAME_DISTANCE = 3;

  private PlantedBugCatalog() {}

  /** Returns all bugs. */
  static List<PlantedBug> all() {
    return ALL;
  }

  /** Returns the names of all bugs, one per line. */
  static String names() {
    return ALL.stream().map(PlantedBug::name).collect(Collectors.joining("\n  ", "\n  ", ""));
  }

  /**
   * Returns the bug of this name, or with {@link PlantedBug#AIDS} behind the name only its aids. So
   * a person can see whether the aids are harmless in the seeds in which the bug is hunted.
   *
   * @throws IllegalArgumentException if there is none
   */
  static PlantedBug find(String name) {
    if (name.endsWith(PlantedBug.AIDS)) {
      return findAids(name.substring(0, name.length() - PlantedBug.AIDS.length()));
    }
    return ALL.stream()
        .filter(bug -> bug.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no planted bug "
                        + name
                        + "; near it are "
                        + String.join(", ", similarNames(name))
                        + "; ./cantle simulate --plant names all "
                        + ALL.size()));
  }

  private static PlantedBug findAids(String name) {
    PlantedBug bug = find(name);
    if (bug.helperEdits().isEmpty()) {
      throw new IllegalArgumentException("the planted bug " + name + " has no aids");
    }
    return bug.withHelpersOnly();
  }

  /** Returns the few names that are most similar to this one, the most similar first. */
  private static List<String> similarNames(String name) {
    return ALL.stream()
        .map(PlantedBug::name)
        .sorted(Comparator.comparingInt(known -> -commonLetters(known, name)))
        .limit(MAX_NAME_DISTANCE)
        .toList();
  }

  /** Returns how many pairs of neighbouring letters two names share. */
  private static int commonLetters(String one, String other) {
    int count = 0;
    for (int i = 0; i + 2 <= other.length(); i++) {
      if (one.contains(other.substring(i, i + 2))) {
        count++;
      }
    }
    return count;
  }
}
