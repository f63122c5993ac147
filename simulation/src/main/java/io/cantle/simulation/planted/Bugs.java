package io.cantle.simulation.planted;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every bug that can be planted.
 *
 * <p><b>Threading:</b> immutable.
 */
final class Bugs {
  private static final List<Bug> ALL =
      Stream.of(
              AgreementBugs.ALL,
              LeaseBugs.ALL,
              WriteBugs.ALL,
              EpochBugs.ALL,
              TransferBugs.ALL,
              SeatBugs.ALL,
              ScanBugs.ALL,
              MemoryBugs.ALL,
              StreamBugs.ALL,
              ExpiryBugs.ALL,
              RestartBugs.ALL,
              PlannerBugs.ALL,
              AvailableBugs.ALL)
          .flatMap(List::stream)
          .toList();

  private static final int NEAR = 3;

  private Bugs() {}

  /** All of them. */
  static List<Bug> all() {
    return ALL;
  }

  /** The names of all, a line each. */
  static String names() {
    return ALL.stream().map(Bug::name).collect(Collectors.joining("\n  ", "\n  ", ""));
  }

  /**
   * The bug of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Bug named(String name) {
    return ALL.stream()
        .filter(bug -> bug.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no planted bug "
                        + name
                        + "; near it are "
                        + String.join(", ", near(name))
                        + "; ./cantle simulate --plant names all "
                        + ALL.size()));
  }

  /** The few names that have most in common with another, those first that have more. */
  private static List<String> near(String name) {
    return ALL.stream()
        .map(Bug::name)
        .sorted(Comparator.comparingInt(known -> -inCommon(known, name)))
        .limit(NEAR)
        .toList();
  }

  /** How many neighbouring pairs of letters two names share. */
  private static int inCommon(String one, String other) {
    int count = 0;
    for (int i = 0; i + 2 <= other.length(); i++) {
      if (one.contains(other.substring(i, i + 2))) {
        count++;
      }
    }
    return count;
  }
}
