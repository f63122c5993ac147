package io.cantle.simulation.planted;

import java.util.List;

/**
 * Planted bugs of scans: iterations, partial results and counts.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ScanBugs {
  private static final String SOURCE = "scan/LocalReplicas.java";
  private static final String PULLS = "scan/PullServer.java";
  private static final String SHARES = "scan/ReductionServer.java";
  private static final String ASKED = "scan/ScanRequest.java";

  /** Called between the check of a replica's state and the read of its entries. */
  private static final String BEFORE_READING = "return new SegmentScan(";

  private static final String LATER =
      "context.environment().clock().sleepNanos(this, 20_000_000L); return new SegmentScan(";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
                  "scan-epoch-unchecked",
                  "a pull is answered though the segment changed its epoch before the read",
                  PULLS,
                  "boolean counts = visitor.finish() && segmentScan.isValid();",
                  "boolean counts = visitor.finish();")
              // Simulated threads stop only where they wait.
              .withHelper(SOURCE, BEFORE_READING, LATER),
          PlantedBug.of(
              "scan-without-right",
              "a pull is answered from a replica that is not allowed to answer",
              "scan/ElementProjection.java",
              "return state.isReadable();",
              "return true;"),
          PlantedBug.of(
                  "partial-result-of-old-epoch",
                  "a partial result counts though a segment changed its epoch meanwhile",
                  new SourceEdit(
                      SHARES, "boolean isLost = reader.isLost();", "boolean isLost = false;"),
                  new SourceEdit(
                      "scan/LiveEntryReader.java",
                      "if (!segmentScan.isValid()) {",
                      "if (segmentIndex < 0) {"))
              .withHelper(SOURCE, BEFORE_READING, LATER),
          PlantedBug.of(
              "refused-pull-delivered",
              "what a refused pull had read is delivered, and again by its repetition",
              PULLS,
              "blockWriter.discard();",
              ""),
          PlantedBug.of(
              "rest-skipped",
              "an iteration considers a segment done at its first dirty entry",
              PULLS,
              "return segmentScan.isDirty() ? ScanStatus.DIRTY : ScanStatus.MORE;",
              "return segmentScan.isDirty() ? ScanStatus.DONE : ScanStatus.MORE;"),
          PlantedBug.of(
              "segment-repeated",
              "an iteration begins a segment anew after a refusal",
              ASKED,
              "boolean hasStarted =",
              "remaining.put(segment, SegmentCursor.START); boolean hasStarted ="),
          PlantedBug.of(
              "cursor-not-advanced",
              "a scan that waited for a dirty entry begins again where it began",
              "scan/SegmentScan.java",
              "cursor = scan( cursor,",
              "cursor = scan( target.cursor(),"),
          PlantedBug.of(
              "dirty-scan",
              "a scan delivers entries that are not committed",
              "scan/SegmentScan.java",
              "if (replica.isClean(newest, state.epoch())) {",
              "if (newest.epoch() >= 0) {"),
          PlantedBug.of(
                  "size-counts-dirty",
                  "the size counts writes that are not committed",
                  "replica/Replica.java",
                  "new LiveEntryCount(entries().liveCount(), state.epoch(), applied, applied <= "
                      + "commitTracker.index())",
                  "new LiveEntryCount(entries().liveCount(), state.epoch(), applied, true)")
              // Writes are delayed for long.
              .withHelper(
                  "operation/WriteHandler.java",
                  "messaging.post(others.get(place), batch);",
                  "Member writer = others.get(place); messaging.clock().schedule(300_000_000L, () "
                      + "-> messaging.post(writer, batch));")
              .withFaults(
                  "--faults",
                  "join,crash",
                  "--nodes",
                  "4",
                  "--rate",
                  "100",
                  "--virtual-seconds",
                  "10"));

  private ScanBugs() {}
}
