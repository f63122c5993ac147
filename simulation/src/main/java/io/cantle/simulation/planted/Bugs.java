package io.cantle.simulation.planted;

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
              ScanBugs.ALL,
              StreamBugs.ALL,
              AvailableBugs.ALL)
          .flatMap(List::stream)
          .toList();

  private Bugs() {}

  /** All of them. */
  static List<Bug> all() {
    return ALL;
  }

  /** The names of all. */
  static String names() {
    return ALL.stream().map(Bug::name).collect(Collectors.joining(", "));
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
                    "there is no planted bug " + name + "; there are " + names()));
  }
}
