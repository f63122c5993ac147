package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Planted bugs that only clients of streams, publishers and pages can see.
 *
 * <p><b>Threading:</b> immutable.
 */
final class StreamBugs {
  private static final String PAGES = "scan/PageClient.java";
  private static final String PULLING = "scan/PullClient.java";

  static final List<PlantedBug> ALL =
      Stream.of(
              PlantedBug.of(
                  "refused-share-counted",
                  "a partial result counts though its owner reports that a segment changed "
                      + "its epoch",
                  "scan/ReductionServer.java",
                  "boolean counts = !isLost || request.keepsAfterMove();",
                  "boolean counts = true;"),
              PlantedBug.of(
                  "rest-without-waiting",
                  "the rest of a cancelled publisher leaves out what had already arrived",
                  PULLING,
                  "unread.addAll(events);",
                  ""),
              PlantedBug.of(
                  "rest-without-half-block",
                  "the rest of a cancelled publisher leaves out the block it was in",
                  PULLING,
                  "unread.add(partlyRead);",
                  ""),
              PlantedBug.of(
                  "page-ends-at-dirty",
                  "a page considers a segment done at its first dirty entry",
                  PAGES,
                  "PullAnswer.SegmentStatus end = block.end();",
                  "PullAnswer.SegmentStatus end = block.end().status() == ScanStatus.DIRTY ? "
                      + "new PullAnswer.SegmentStatus(ScanStatus.DONE, 0, null) : block.end();"),
              PlantedBug.of(
                  "page-cursor-kept",
                  "a page that ends in the middle of a segment returns the cursor it began with",
                  PAGES,
                  "PullAnswer.SegmentStatus end = block.end();",
                  "PullAnswer.SegmentStatus end = new PullAnswer.SegmentStatus("
                      + "block.end().status(), block.end().nextBytes(), null);"))
          .map(PlantedBug::forStreams)
          .toList();

  private StreamBugs() {}
}
