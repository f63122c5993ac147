package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of joining: tombstones, transfers, and the results of commands that go with them.
 *
 * <p><b>Threading:</b> immutable.
 */
final class TransferBugs {
  private static final String REPLICA = "replica/Replica.java";
  private static final String CONTENTS = "replica/ReplicaData.java";
  private static final String TRANSFERS = "rebalance/StateTransfer.java";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "no-tombstone",
              "a removed key is forgotten at once",
              CONTENTS,
              "tombstones.add(entry);",
              "entries.purge(entry);"),
          PlantedBug.of(
                  "tombstones-purged-while-joining",
                  "removed keys are forgotten while somebody joins",
                  CONTENTS,
                  "if (!state.isSteady() || !state.isServing() || state.role() == "
                      + "ReplicaRole.JOINER) {",
                  "if (!state.isServing()) {")
              // Transfers are slow.
              .withHelper(
                  TRANSFERS,
                  "messaging.send(from, answerPull(request, cache, segment, epoch, cursor, room));",
                  "Output answer = answerPull(request, cache, segment, epoch, cursor, room); "
                      + "messaging.clock().sleepNanos(this, 300_000_000L); messaging.send(from, answer);"),
          PlantedBug.of(
                  "results-left-behind",
                  "the results of commands do not travel to a joiner",
                  REPLICA,
                  "data.sessions().merge(in);",
                  "")
              // Some words to callers are lost: they try again.
              .withHelper(
                  "operation/ReplicationHandler.java",
                  "if (notice.kind() != OrderedWrite.OriginNotice.Kind.NONE &&",
                  "if (notice.kind() != OrderedWrite.OriginNotice.Kind.NONE && "
                      + "received.write().index() % 4 != 0 &&"),
          PlantedBug.of(
                  "results-ahead-of-writes",
                  "results of the present epoch travel to a joiner before their writes",
                  REPLICA,
                  "data.sessions().write(out, state.epoch());",
                  "data.sessions().write(out, state.epoch() + 1);")
              // Writes are long under way, so that more of them are lost with their primary;
              // joiners
              // ask for its results several times; and callers take their time to try again.
              .withHelper(
                  TRANSFERS,
                  "while (!closed && isCurrent(replica)) {",
                  "int pulls = 0; while (!closed && isCurrent(replica)) {")
              .withHelper(
                  TRANSFERS,
                  "if (received == TransferResult.ADDED && batch.isLast()) {",
                  "if (received == TransferResult.ADDED && batch.isLast() && ++pulls < 3) { "
                      + "messaging.clock().sleepNanos(this, 100_000_000L); } else if (pulls == 3) {")
              .withHelper(TRANSFERS, "MAX_PARALLEL_TRANSFERS = 4;", "MAX_PARALLEL_TRANSFERS = 64;")
              .withHelper(
                  "operation/WriteHandler.java",
                  "messaging.post(others.get(place), out);",
                  "Member writer = others.get(place); messaging.clock().schedule(300_000_000L, () "
                      + "-> messaging.post(writer, out));")
              .withHelper(
                  "operation/OperationClient.java",
                  "Topology topology = topologyDriver.current(); if "
                      + "(!context.session.equals(currentSession())",
                  "long late = clock.nanoTime() + Math.min(2_500_000_000L, (deadline - "
                      + "clock.nanoTime()) / 2); while (write.sentEpoch() != 0 && !write.isEnded() && "
                      + "!mustGiveUp(deadline) && clock.nanoTime() - late < 0) { clock.parkNanos(write, "
                      + "late - clock.nanoTime()); } Topology topology = topologyDriver.current(); if "
                      + "(!context.session.equals(currentSession())"),
          PlantedBug.of(
                  "partial-transfer",
                  "a joiner reports that it has all after the first part",
                  TRANSFERS,
                  "if (received == TransferResult.ADDED && batch.isLast()) {",
                  "if (received == TransferResult.ADDED) {")
              // The segments of a simulation are small.
              .withHelper(TRANSFERS, "MAX_PULL_BYTES = 256 << 10;", "MAX_PULL_BYTES = 1 << 10;"),
          PlantedBug.of(
              "transfer-overwrites",
              "a transferred entry replaces a newer one",
              CONTENTS,
              "if (present == null || present.compareVersion(entry.epoch(), entry.index()) < 0) {",
              "if (entry.epoch() >= 0) {"),
          PlantedBug.of(
                  "transfer-ahead-of-writes",
                  "a joiner takes a part before it has come as far as the primary had",
                  REPLICA,
                  "if (log.applied() < index) {",
                  "if (index < 0) {")
              // Writes are long under way, so that more of them are lost with their primary.
              .withHelper(
                  "operation/WriteHandler.java",
                  "messaging.post(others.get(place), out);",
                  "Member writer = others.get(place); messaging.clock().schedule(300_000_000L, () "
                      + "-> messaging.post(writer, out));"),
          PlantedBug.of(
              "old-copy-kept",
              "who retired keeps its copy, and goes on with it when it joins again",
              REPLICA,
              "if (worthless) {",
              "if (worthless && entries().liveCount() < 0) {"));

  private TransferBugs() {}
}
