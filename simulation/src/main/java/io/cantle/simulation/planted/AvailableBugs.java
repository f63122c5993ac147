package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Bugs in how sides of a partition go on and are merged, in grids that stay available.
 *
 * <p><b>Threading:</b> immutable.
 */
final class AvailableBugs {
  private static final String MERGE = "operation/ConflictMerge.java";
  private static final String COPY = "replica/LosingReplica.java";

  static final List<PlantedBug> ALL =
      Stream.of(
              PlantedBug.of(
                  "merge-ignores-policy",
                  "of two writes of one key the one that comes last stays, not the later one",
                  MERGE,
                  "case NEWER -> keepNewer(key, found, later);",
                  "case NEWER -> keepNewer(key, found, true);"),
              PlantedBug.of(
                  "fork-writes-dropped",
                  "what a fork has written is not merged",
                  COPY,
                  "return own && !begunEmpty ? null : new MergeScope(divergence, begunEmpty, own);",
                  "return !begunEmpty ? null : new MergeScope(divergence, begunEmpty, own);"),
              PlantedBug.of(
                  "merge-forgets-tombstones",
                  "what was removed on one side is not brought to the other",
                  COPY,
                  "return isEverything || divergence.precedes(entry);",
                  "return !entry.isTombstone() && (isEverything || divergence.precedes(entry));"),
              PlantedBug.of(
                  "losses-not-counted",
                  "what is lost when sides merge is not counted",
                  "operation/ConflictResolver.java",
                  "overwritten.add(losses.overwritten());",
                  ""),
              PlantedBug.of(
                  "fork-keeps-epoch",
                  "a fork begins in the epochs of its parent, which goes on in them",
                  "topology/ForkPlanner.java",
                  "int epoch = 1 + highestEpoch(left);",
                  "int epoch = highestEpoch(parent);"),
              PlantedBug.of(
                  "orphans-of-backups-forgotten",
                  "only the primary keeps what is to be merged",
                  "replica/Replica.java",
                  "held = holdsEverything() ? captureFinalContents() : null;",
                  "held = state.role() == ReplicaRole.PRIMARY ? captureFinalContents() : null;"))
          .map(PlantedBug::forAvailableGrids)
          .toList();

  private AvailableBugs() {}
}
