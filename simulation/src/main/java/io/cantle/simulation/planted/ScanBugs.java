package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of scans: iterations, partial results and counts.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ScanBugs {
  private static final String SOURCE = "publish/Source.java";
  private static final String ITERATION = "publish/Iteration.java";

  static final List<Bug> ALL =
      List.of(
          Bug.of(
                  "scan-epoch-unchecked",
                  "a pull is answered though the segment moved on before it was read",
                  SOURCE,
                  "outcome = !state.same(replica.state()) ? REFUSED : visitor.outcome(cursor);",
                  "outcome = visitor.outcome(cursor);")
              // Simulated threads stop only where they wait.
              .aidedBy(
                  SOURCE,
                  "Visitor visitor = new Visitor(",
                  "clock.parkNanos(this, 20_000_000L); Visitor visitor = new Visitor("),
          Bug.of(
              "scan-without-right",
              "a pull is answered from a copy that may not speak",
              SOURCE,
              "if (replica != null && state != null && state.readable()) {",
              "if (replica != null && state != null) {"),
          Bug.of(
                  "partial-result-of-old-epoch",
                  "a partial result counts though a segment moved on while it was made",
                  new Edit(
                      SOURCE, "if (!states.get(i).same(scanned.get(i).state())) {", "if (i < 0) {"),
                  new Edit(
                      "publish/LiveEntries.java",
                      "if (!state.same(replica.state())) {",
                      "if (segment < 0) {"))
              .aidedBy(
                  SOURCE,
                  "tasks.reduction(task).reduce(entries, out);",
                  """
                  clock.parkNanos(this, 200_000_000L);
                  tasks.reduction(task).reduce(entries, out);
                  """),
          Bug.of(
              "refused-pull-delivered",
              "what a refused pull had read is delivered, and again when it is repeated",
              SOURCE,
              "out.truncate(begin); budget.elements = before;",
              ""),
          Bug.of(
              "rest-skipped",
              "an iteration takes a segment for done at its first dirty entry",
              SOURCE,
              "return dirty == null ? MORE : DIRTY;",
              "return dirty == null ? MORE : DONE;"),
          Bug.of(
              "segment-repeated",
              "an iteration begins a segment anew after a refusal",
              ITERATION,
              "// The primary knows better than a copy that may not speak.",
              "rest.put(segment, Cursor.START);"),
          Bug.of(
              "cursor-not-advanced",
              "a pull that waited for a dirty entry begins again where it began",
              SOURCE,
              "cursor = replica.entries().scan(cursor, visitor);",
              "cursor = replica.entries().scan(from, visitor);"),
          Bug.of(
              "dirty-scan",
              "a scan delivers entries that are not committed",
              "publish/LiveEntries.java",
              "if (replica.clean(newest, state.epoch())) {",
              "if (newest.epoch() >= 0) {"),
          Bug.of(
                  "size-counts-dirty",
                  "the size counts writes that are not committed",
                  "replica/Replica.java",
                  "new Count(entries.liveCount(), state.epoch, applied, applied <= committed)",
                  "new Count(entries.liveCount(), state.epoch, applied, true)")
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
