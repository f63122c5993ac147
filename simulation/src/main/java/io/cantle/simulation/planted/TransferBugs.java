package io.cantle.simulation.planted;

import java.util.List;

/**
 * Planted bugs of joining: tombstones, transfers, and the results of commands that go with them.
 *
 * <p><b>Threading:</b> immutable.
 */
final class TransferBugs {
  private static final String REPLICA = "replica/Replica.java";
  private static final String JOINING = "replica/ReplicaTransfer.java";
  private static final String CONTENTS = "replica/ReplicaData.java";
  private static final String TRANSFERS = "rebalance/StateTransfer.java";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "no-tombstone",
              "a removed key is forgotten at once",
              CONTENTS,
              "tombstones.add(entry);",
              "entries.remove(entry);"),
          PlantedBug.of(
                  "tombstones-purged-while-joining",
                  "removed keys are forgotten while a node joins",
                  CONTENTS,
                  "if (!state.isSteady() || !state.isServing() || state.role() == "
                      + "ReplicaRole.JOINER) {",
                  "if (!state.isServing()) {")
              // Transfers are slow.
              .withHelper(
                  "scan/ScanServer.java",
                  "messaging.send(work.member, answer);",
                  "if (question instanceof TransferRequest) { "
                      + "environment.clock().sleepNanos(this, 300_000_000L); } "
                      + "messaging.send(work.member, answer);"),
          PlantedBug.of(
                  "results-left-behind",
                  "the results of commands are not transferred to a joiner",
                  JOINING,
                  "data.sessions().merge(in);",
                  "")
              // Some messages to callers are lost, so callers retry.
              .withHelper(
                  "operation/ReplicationHandler.java",
                  "if (notice.kind() != OrderedWrite.OriginNotice.NoticeKind.NONE &&",
                  "if (notice.kind() != OrderedWrite.OriginNotice.NoticeKind.NONE && "
                      + "received.write().index() % 4 != 0 &&"),
          PlantedBug.of(
                  "results-ahead-of-writes",
                  "results of the present epoch reach a joiner before their writes",
                  JOINING,
                  "data.sessions().write(out, replica.state().epoch());",
                  "data.sessions().write(out, replica.state().epoch() + 1);")
              // Writes are delayed for long, so that more of them are lost with their primary.
              // Joiners ask for its results several times, and callers wait before they retry.
              .withHelper(
                  TRANSFERS,
                  "@Nullable PulledBatch batch;",
                  "@Nullable PulledBatch batch; int ends;")
              .withHelper(
                  TRANSFERS,
                  "if (received == TransferResult.ADDED && batch.isLast()) {",
                  "boolean isEnd = received == TransferResult.ADDED && batch.isLast(); "
                      + "if (isEnd && ++transfer.ends < 3) { "
                      + "messaging.clock().sleepNanos(this, 100_000_000L); } else if (isEnd) {")
              .withHelper(TRANSFERS, "MAX_PARALLEL_TRANSFERS = 4;", "MAX_PARALLEL_TRANSFERS = 64;")
              .withHelper(
                  "operation/WriteHandler.java",
                  "messaging.post(others.get(place), batch);",
                  "Member writer = others.get(place); messaging.clock().schedule(300_000_000L, () "
                      + "-> messaging.post(writer, batch));")
              .withHelper(
                  "operation/OperationClient.java",
                  "Topology latest = topologyDriver.current(); cacheResolver.require",
                  "long late = clock.nanoTime() + "
                      + "Math.min(2_500_000_000L, (deadline - clock.nanoTime()) / 2); while "
                      + "(write.firstEpoch() != 0 && !write.isEnded() && !topologyDriver.isCutOff() && "
                      + "clock.nanoTime() - late < 0) { clock.parkNanos(write, late - clock.nanoTime()); } "
                      + "Topology latest = topologyDriver.current(); cacheResolver.require")
              // A primary must die while a joiner fetches from it.
              .withFaults(
                  "--faults",
                  "join,crash,restart",
                  "--nodes",
                  "3",
                  "--rate",
                  "100",
                  "--virtual-seconds",
                  "20"),
          PlantedBug.of(
                  "partial-transfer",
                  "a joiner reports that it is complete after the first part",
                  TRANSFERS,
                  "if (received == TransferResult.ADDED && batch.isLast()) {",
                  "if (received == TransferResult.ADDED) {")
              // The segments of a simulation are small.
              .withHelper(
                  "wire/TransferRequest.java", "MAX_BYTES = 256 << 10;", "MAX_BYTES = 1 << 10;"),
          PlantedBug.of(
              "transfer-overwrites",
              "a transferred entry replaces a newer one",
              CONTENTS,
              "if (present == null || present.compareVersion(entry) < 0) {",
              "if (entry.epoch() >= 0) {"),
          PlantedBug.of(
                  "transfer-ahead-of-writes",
                  "a joiner applies a part before it has the writes the primary had then",
                  JOINING,
                  "if (log.applied() < index) {",
                  "if (index < 0) {")
              // Writes are delayed for long, so that more of them are lost with their primary.
              .withHelper(
                  "operation/WriteHandler.java",
                  "messaging.post(others.get(place), batch);",
                  "Member writer = others.get(place); messaging.clock().schedule(300_000_000L, () "
                      + "-> messaging.post(writer, batch));"),
          PlantedBug.of(
              "old-copy-kept",
              "a retired owner keeps its replica, and continues with it when it joins again",
              REPLICA,
              "if (entry.isWorthless()) {",
              "if (entry.isWorthless() && entries().liveCount() < 0) {"));

  private TransferBugs() {}
}
