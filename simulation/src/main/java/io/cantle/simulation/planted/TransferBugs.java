package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of joining: tombstones, transfers, and the results of commands that go with them.
 *
 * <p><b>Threading:</b> immutable.
 */
final class TransferBugs {
  private static final String REPLICA = "replica/Replica.java";
  private static final String CONTENTS = "replica/Contents.java";
  private static final String TRANSFERS = "rebalance/Transfers.java";

  static final List<Bug> ALL =
      List.of(
          Bug.of(
              "no-tombstone",
              "a removed key is forgotten at once",
              CONTENTS,
              "tombstones.add(entry);",
              "entries.purge(entry);"),
          Bug.of(
                  "tombstones-purged-while-joining",
                  "removed keys are forgotten while somebody joins",
                  CONTENTS,
                  "if (!state.steady() || !state.serving() || state.role() == Role.JOINER) {",
                  "if (!state.serving()) {")
              // Transfers are slow.
              .aidedBy(
                  TRANSFERS,
                  "requests.send(from, next(request, cache, segment, epoch, cursor));",
                  """
                  Output answer = next(request, cache, segment, epoch, cursor);
                  requests.clock().sleepNanos(this, 300_000_000L);
                  requests.send(from, answer);
                  """),
          Bug.of(
                  "results-left-behind",
                  "the results of commands do not travel to a joiner",
                  REPLICA,
                  "contents.sessions().merge(in);",
                  "")
              // Some words to callers are lost: they try again.
              .aidedBy(
                  "operate/Followers.java",
                  "if (notice.kind() != Item.Notice.Kind.NONE &&",
                  "if (notice.kind() != Item.Notice.Kind.NONE && done.item().index() % 4 != 0 &&"),
          Bug.of(
                  "results-ahead-of-writes",
                  "results of the present epoch travel to a joiner before their writes",
                  REPLICA,
                  "contents.sessions().write(out, state.epoch());",
                  "contents.sessions().write(out, state.epoch() + 1);")
              // Writes are long under way, so that more of them are lost with their primary;
              // joiners
              // ask for its results several times; and callers take their time to try again.
              .aidedBy(
                  TRANSFERS,
                  "while (!closed && counts(replica)) {",
                  "int pulls = 0; while (!closed && counts(replica)) {")
              .aidedBy(
                  TRANSFERS,
                  "if (received == Received.ADDED && pulled.isLast()) {",
                  """
                  if (received == Received.ADDED && pulled.isLast() && ++pulls < 3) {
                    requests.clock().sleepNanos(this, 100_000_000L);
                  } else if (pulls == 3) {
                  """)
              .aidedBy(TRANSFERS, "PARALLEL = 4;", "PARALLEL = 64;")
              .aidedBy(
                  "operate/Writers.java",
                  "requests.post(others.get(place), out);",
                  """
                  Member writer = others.get(place);
                  requests.clock().schedule(300_000_000L, () -> requests.post(writer, out));
                  """)
              .aidedBy(
                  "operate/Callers.java",
                  "Topology topology = topologies.current(); if (!sending.session.equals(session())",
                  """
                  long late = clock.nanoTime() + Math.min(2_500_000_000L, (deadline - clock.nanoTime()) / 2);
                  while (write.sentEpoch() != 0
                      && !write.ended()
                      && !isOver(deadline)
                      && clock.nanoTime() - late < 0) {
                    clock.parkNanos(write, late - clock.nanoTime());
                  }
                  Topology topology = topologies.current();
                  if (!sending.session.equals(session())
                  """),
          Bug.of(
                  "partial-transfer",
                  "a joiner reports that it has all after the first part",
                  TRANSFERS,
                  "if (received == Received.ADDED && pulled.isLast()) {",
                  "if (received == Received.ADDED) {")
              // The segments of a simulation are small.
              .aidedBy(TRANSFERS, "PULL_BYTES = 256 << 10;", "PULL_BYTES = 1 << 10;"),
          Bug.of(
              "transfer-overwrites",
              "a transferred entry replaces a newer one",
              CONTENTS,
              "if (present == null || present.compareVersion(entry.epoch(), entry.index()) < 0) {",
              "if (entry.epoch() >= 0) {"),
          Bug.of(
                  "transfer-ahead-of-writes",
                  "a joiner takes a part before it has come as far as the primary had",
                  REPLICA,
                  "if (tail.applied() < index) {",
                  "if (index < 0) {")
              // Writes are long under way, so that more of them are lost with their primary.
              .aidedBy(
                  "operate/Writers.java",
                  "requests.post(others.get(place), out);",
                  """
                  Member writer = others.get(place);
                  requests.clock().schedule(300_000_000L, () -> requests.post(writer, out));
                  """),
          Bug.of(
              "old-copy-kept",
              "who retired keeps its copy, and goes on with it when it joins again",
              REPLICA,
              "if (worthless) {",
              "if (worthless && entries().liveCount() < 0) {"));

  private TransferBugs() {}
}
