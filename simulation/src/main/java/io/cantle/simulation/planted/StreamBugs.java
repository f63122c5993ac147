package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Bugs that only clients of streams, publishers and pages can see.
 *
 * <p><b>Threading:</b> immutable.
 */
final class StreamBugs {
  private static final String PAGES = "publish/PageReader.java";
  private static final String PULLING = "publish/PullClient.java";

  static final List<PlantedBug> ALL =
      Stream.of(
              PlantedBug.of(
                  "refused-share-counted",
                  "a partial result counts though its owner says that a segment moved on",
                  "publish/ReductionServer.java",
                  "boolean counts = !isLost || request.keepsAfterMove();",
                  "boolean counts = true;"),
              PlantedBug.of(
                  "rest-without-waiting",
                  "the rest of a publisher that was cancelled lacks what had come already",
                  PULLING,
                  "unread.addAll(events);",
                  ""),
              PlantedBug.of(
                  "rest-without-half-block",
                  "the rest of a publisher that was cancelled lacks the block it was in",
                  PULLING,
                  "unread.add(partlyRead);",
                  ""),
              PlantedBug.of(
                  "page-ends-at-dirty",
                  "a page takes a segment for done at its first dirty entry",
                  PAGES,
                  "if (status == ScanStatus.DONE) { segment++;",
                  "if (status == ScanStatus.DONE || status == ScanStatus.DIRTY) { segment++;"),
              PlantedBug.of(
                  "page-cursor-kept",
                  "a page that ends amid a segment names the place where it began",
                  PAGES,
                  "cursor = SegmentCursor.read(in);",
                  "SegmentCursor.read(in);"))
          .map(PlantedBug::forStreams)
          .toList();

  private StreamBugs() {}
}
