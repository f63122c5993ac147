package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Bugs in how sides of a partition go on and are merged, in grids that stay available.
 *
 * <p><b>Threading:</b> immutable.
 */
final class AvailableBugs {
  private static final String MERGE = "operate/Merge.java";
  private static final String COPY = "replica/OrphanedCopy.java";

  static final List<Bug> ALL =
      Stream.of(
              Bug.of(
                  "merge-ignores-policy",
                  "of two writes of one key the one that comes last stays, not the later one",
                  MERGE,
                  "case NEWER -> newer(key, found, later);",
                  "case NEWER -> newer(key, found, true);"),
              Bug.of(
                  "fork-writes-dropped",
                  "what a fork has written is not merged",
                  COPY,
                  "return own && !begunEmpty ? null : new Part(parting, begunEmpty, own);",
                  "return !begunEmpty ? null : new Part(parting, begunEmpty, own);"),
              Bug.of(
                  "merge-forgets-tombstones",
                  "what was removed on one side is not brought to the other",
                  COPY,
                  "return all || parting.isBefore(entry);",
                  "return !entry.tombstone() && (all || parting.isBefore(entry));"),
              Bug.of(
                  "losses-not-counted",
                  "what is lost when sides merge is not counted",
                  "operate/Conflicts.java",
                  "overwritten.add(lost.overwritten());",
                  ""),
              Bug.of(
                  "fork-keeps-epoch",
                  "a fork begins in the epochs of its parent, which goes on in them",
                  "topology/ForkPlanner.java",
                  "int epoch = 1 + highestEpoch(left);",
                  "int epoch = highestEpoch(parent);"),
              Bug.of(
                  "orphans-of-backups-forgotten",
                  "only the primary keeps what is to be merged",
                  "replica/Replica.java",
                  "held = holdsEverything() ? orphan() : null;",
                  "held = state.role() == Role.PRIMARY ? orphan() : null;"))
          .map(Bug::inAvailableGrids)
          .toList();

  private AvailableBugs() {}
}
