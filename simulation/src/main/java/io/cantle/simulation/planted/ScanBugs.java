package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of scans: iterations, partial results and counts.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ScanBugs {
  private static final String SOURCE = "publish/Source.java";
  private static final String PULLS = "publish/OwnerPulls.java";
  private static final String SHARES = "publish/OwnerShares.java";
  private static final String ASKED = "publish/Asked.java";

  /** Called between the look at what a copy is and the look at its entries. */
  private static final String BEFORE_READING = "() -> topologies.current().hashSeed();";

  private static final String LATER =
      """
      () -> {
        world.clock().sleepNanos(this, 20_000_000L);
        return topologies.current().hashSeed();
      };
      """;

  static final List<Bug> ALL =
      List.of(
          Bug.of(
                  "scan-epoch-unchecked",
                  "a pull is answered though the segment moved on before it was read",
                  PULLS,
                  "outcome = !state.same(replica.state()) ? Outcome.LOST : visitor.outcome();",
                  "outcome = visitor.outcome();")
              // Simulated threads stop only where they wait.
              .aidedBy(SOURCE, BEFORE_READING, LATER),
          Bug.of(
              "scan-without-right",
              "a pull is answered from a copy that may not speak",
              PULLS,
              "if (replica != null && state != null && state.readable()) {",
              "if (replica != null && state != null) {"),
          Bug.of(
                  "partial-result-of-old-epoch",
                  "a partial result counts though a segment moved on while it was made",
                  new Edit(SHARES, "boolean isLost = entries.lost();", "boolean isLost = false;"),
                  new Edit(
                      "publish/LiveEntries.java", "if (!scanned.holds()) {", "if (segment < 0) {"))
              .aidedBy(SOURCE, BEFORE_READING, LATER),
          Bug.of(
              "refused-pull-delivered",
              "what a refused pull had read is delivered, and again when it is repeated",
              PULLS,
              "blocks.discard();",
              ""),
          Bug.of(
              "rest-skipped",
              "an iteration takes a segment for done at its first dirty entry",
              PULLS,
              "return dirty == null ? Outcome.MORE : Outcome.DIRTY;",
              "return dirty == null ? Outcome.MORE : Outcome.DONE;"),
          Bug.of(
              "segment-repeated",
              "an iteration begins a segment anew after a refusal",
              ASKED,
              "// The primary knows better than a copy that may not speak.",
              "rest.put(segment, Cursor.START);"),
          Bug.of(
              "cursor-not-advanced",
              "a pull that waited for a dirty entry begins again where it began",
              PULLS,
              "visitor.cursor = scanned.scan(visitor.cursor,",
              "visitor.cursor = scanned.scan(scanned.want().cursor(),"),
          Bug.of(
              "dirty-scan",
              "a scan delivers entries that are not committed",
              "publish/Scanned.java",
              "if (replica.clean(newest, state.epoch())) {",
              "if (newest.epoch() >= 0) {"),
          Bug.of(
                  "size-counts-dirty",
                  "the size counts writes that are not committed",
                  "replica/Replica.java",
                  "new Count(entries().liveCount(), state.epoch(), applied, applied <= commit.index())",
                  "new Count(entries().liveCount(), state.epoch(), applied, true)")
              // Writes are long under way.
              .aidedBy(
                  "operate/Writers.java",
                  "requests.post(others.get(place), out);",
                  """
                  Member writer = others.get(place);
                  requests.clock().schedule(300_000_000L, () -> requests.post(writer, out));
                  """));

  private ScanBugs() {}
}
