package io.cantle.simulation.planted;

import java.util.List;

/**
 * Planted bugs of epochs: which node may act in one, and how the next begins.
 *
 * <p><b>Threading:</b> immutable.
 */
final class EpochBugs {
  private static final String REPLICA = "replica/Replica.java";
  private static final String COMMANDS = "replica/CommandRules.java";
  private static final String TAIL = "replica/ReplicaLog.java";
  private static final String OPENINGS = "rebalance/EpochRecovery.java";

  static final List<PlantedBug> ALL =
      List.of(
          WriteBugs.repeatingAttempts(
                  PlantedBug.of(
                      "no-epoch-check-at-primary",
                      "a primary executes commands that were sent in another epoch",
                      COMMANDS,
                      "if (state.epoch() != epoch || !sessions.isLive(command.session())) {",
                      "if (!sessions.isLive(command.session())) {"))
              .withFaults(
                  "--faults",
                  "join,leave,restart",
                  "--nodes",
                  "3",
                  "--rate",
                  "150",
                  "--virtual-seconds",
                  "20"),
          PlantedBug.of(
              "no-epoch-check-at-backups",
              "a writer accepts what the primary of an earlier epoch sends",
              REPLICA,
              "return state.epoch() == epoch && state.role().isWriter() && state.role() != "
                  + "ReplicaRole.PRIMARY;",
              "return state.role().isWriter() && state.role() != ReplicaRole.PRIMARY;"),
          PlantedBug.of(
              "read-before-served",
              "owners answer reads in an epoch that is not served yet",
              "replica/ReplicaState.java",
              "return isServing && (role == ReplicaRole.PRIMARY || role == ReplicaRole.BACKUP);",
              "return role == ReplicaRole.PRIMARY || role == ReplicaRole.BACKUP;"),
          PlantedBug.of(
              "served-before-entered",
              "a new primary serves before the others have entered the epoch",
              OPENINGS,
              "waitingFor.addAll(ownership.retiring());",
              "waitingFor.clear();"),
          PlantedBug.of(
              "retiring-not-waited-for",
              "a new primary does not wait for owners that retire",
              OPENINGS,
              "waitingFor.addAll(ownership.retiring());",
              ""),
          PlantedBug.of(
              "take-over-hands-out-nothing",
              "a new primary does not send the others the writes that they lack",
              TAIL,
              "if (!missingByMember.isEmpty()) {",
              "if (missingByMember.size() < 0) {"),
          PlantedBug.of(
              "take-over-ignores-longer-logs",
              "a new primary serves without writes that others hold and it lacks",
              TAIL,
              "if (summary.epoch() > epoch || (summary.epoch() == epoch && summary.applied() > "
                  + "applied)) {",
              "if (summary.epoch() < 0) {"),
          PlantedBug.of(
              "joiner-owner-at-once",
              "a joiner becomes an owner before it has received anything",
              "ownership/CachePlanner.java",
              "if (hasReceived(segment, from, joiner)) {",
              "if (joiner.sinceEpoch() <= from.epoch()) {"));

  private EpochBugs() {}
}
