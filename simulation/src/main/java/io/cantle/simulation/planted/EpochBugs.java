package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of epochs: who may speak in one, and how the next begins.
 *
 * <p><b>Threading:</b> immutable.
 */
final class EpochBugs {
  private static final String REPLICA = "replica/Replica.java";
  private static final String TAIL = "replica/Tail.java";
  private static final String OPENINGS = "rebalance/Openings.java";

  static final List<Bug> ALL =
      List.of(
          Bug.of(
              "no-epoch-check-at-primary",
              "a primary carries out what was sent in another epoch",
              REPLICA,
              "if (state.epoch() != epoch || !sessions.isPresent(command.session())) {",
              "if (!sessions.isPresent(command.session())) {"),
          Bug.of(
              "no-epoch-check-at-backups",
              "a writer accepts what the primary of an earlier epoch sends",
              REPLICA,
              """
              if (state.epoch() != epoch || !state.role().writes() || state.role() == Role.PRIMARY) {
              """,
              "if (!state.role().writes() || state.role() == Role.PRIMARY) {"),
          Bug.of(
              "read-before-served",
              "owners answer reads in an epoch that is not served yet",
              "replica/ReplicaState.java",
              "return serving && (role == Role.PRIMARY || role == Role.BACKUP);",
              "return role == Role.PRIMARY || role == Role.BACKUP;"),
          Bug.of(
              "served-before-entered",
              "a new primary serves before the others have entered",
              OPENINGS,
              "waitingFor.addAll(ownership.retiring());",
              "waitingFor.clear();"),
          Bug.of(
              "retiring-not-waited-for",
              "a new primary does not wait for owners that retire",
              OPENINGS,
              "waitingFor.addAll(ownership.retiring());",
              ""),
          Bug.of(
              "take-over-hands-out-nothing",
              "a new primary keeps what others lack to itself",
              TAIL,
              "if (!lacking.isEmpty()) {",
              "if (lacking.size() < 0) {"),
          Bug.of(
              "take-over-ignores-longer-logs",
              "a new primary serves without what others hold and it lacks",
              TAIL,
              "if (log.epoch() > epoch || (log.epoch() == epoch && log.applied() > applied)) {",
              "if (log.epoch() < 0) {"),
          Bug.of(
              "joiner-owner-at-once",
              "a joiner becomes an owner before it has received anything",
              "topology/CachePlanner.java",
              "if (received(segment, from, joiner)) {",
              "if (joiner.since() <= from.epoch()) {"));

  private EpochBugs() {}
}
