package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Planted bugs in how the sides of a partition go on and are merged, in grids that stay available.
 *
 * <p><b>Threading:</b> immutable.
 */
final class AvailableBugs {
  private static final String MERGE = "operation/ConflictMerge.java";
  private static final String COPY = "partition/LosingReplica.java";

  static final List<PlantedBug> ALL =
      Stream.of(
              PlantedBug.of(
                  "merge-ignores-policy",
                  "of two writes of a key the one that arrives last wins, not the later one",
                  MERGE,
                  "case NEWER -> keepNewer(key, found, later);",
                  "case NEWER -> keepNewer(key, found, true);"),
              PlantedBug.of(
                  "fork-writes-dropped",
                  "what a fork has written is not merged",
                  COPY,
                  "return own && !beganEmpty ? null",
                  "return !beganEmpty ? null"),
              PlantedBug.of(
                      "merge-forgets-tombstones",
                      "what was removed on one side is not removed on the other",
                      COPY,
                      "return isEverything || divergence.precedes(entry);",
                      "return !entry.isTombstone() && (isEverything || divergence.precedes(entry));")
                  // A key must stay removed from before the merge to the end.
                  .withFaults(
                      "--mode",
                      "available",
                      "--faults",
                      "halves,alone",
                      "--nodes",
                      "4",
                      "--rate",
                      "2",
                      "--virtual-seconds",
                      "30"),
              PlantedBug.of(
                  "losses-not-counted",
                  "what is lost when sides merge is not counted",
                  "operation/ConflictResolver.java",
                  "losses = losses.plus(ConflictMerge.LossCount.of(result));",
                  "ConflictMerge.LossCount counted = ConflictMerge.LossCount.of(result); losses = "
                      + "losses.plus(new ConflictMerge.LossCount(0, counted.removed(), "
                      + "counted.broughtBack()));"),
              PlantedBug.of(
                  "fork-keeps-epoch",
                  "a fork begins in the same epochs in which its parent goes on",
                  "partition/ForkPlanner.java",
                  "int epoch = 1 + left.highestEpoch();",
                  "int epoch = parent.highestEpoch();"),
              PlantedBug.of(
                  "orphans-of-backups-forgotten",
                  "only the primary keeps what is to be merged",
                  "replica/ReplicaDivergence.java",
                  "if (data.isStamped() && replica.holdsEverything()) {",
                  "if (data.isStamped() && replica.state().role() == ReplicaRole.PRIMARY) {"))
          .map(bug -> bug.extraWords().isEmpty() ? bug.forAvailableGrids() : bug)
          .toList();

  private AvailableBugs() {}
}
