package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs in what observers of committed changes are told.
 *
 * <p><b>Threading:</b> immutable.
 */
final class FeedBugs {
  private static final String SUBSCRIPTION = "replica/ChangeSubscription.java";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "change-fed-twice",
              "after a transfer an observer is given changes that its scan also finds",
              SUBSCRIPTION,
              "if (!observer.observes(change.after()) || !hasPassed(change.after())) {",
              "if (!observer.observes(change.after())) {"),
          PlantedBug.of(
                  "tombstone-missing-from-restart",
                  "an observer that restarts is not told what was removed meanwhile",
                  SUBSCRIPTION,
                  "if (committed != null && committed.compareVersion(since) > 0",
                  "if (committed != null && !committed.isTombstone() && "
                      + "committed.compareVersion(since) > 0")
              .forAvailableGrids());

  private FeedBugs() {}
}
