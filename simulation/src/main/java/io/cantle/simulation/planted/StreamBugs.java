package io.cantle.simulation.planted;

import java.util.List;
import java.util.stream.Stream;

/**
 * Bugs that only clients of streams, publishers and pages can see.
 *
 * <p><b>Threading:</b> immutable.
 */
final class StreamBugs {
  private static final String PAGES = "publish/Pages.java";
  private static final String PULLING = "publish/Pulling.java";

  static final List<Bug> ALL =
      Stream.of(
              Bug.of(
                  "refused-share-counted",
                  "a partial result counts though its owner says that a segment moved on",
                  "publish/OwnerShares.java",
                  "boolean counts = !isLost || share.keepsRefused();",
                  "boolean counts = true;"),
              Bug.of(
                  "rest-without-waiting",
                  "the rest of a publisher that was cancelled lacks what had come already",
                  PULLING,
                  "left.addAll(events);",
                  ""),
              Bug.of(
                  "rest-without-half-block",
                  "the rest of a publisher that was cancelled lacks the block it was in",
                  PULLING,
                  "left.add(half);",
                  ""),
              Bug.of(
                  "page-ends-at-dirty",
                  "a page takes a segment for done at its first dirty entry",
                  PAGES,
                  "if (outcome == Outcome.DONE) { segment++;",
                  "if (outcome == Outcome.DONE || outcome == Outcome.DIRTY) { segment++;"),
              Bug.of(
                  "page-cursor-kept",
                  "a page that ends amid a segment names the place where it began",
                  PAGES,
                  "cursor = Cursor.read(in);",
                  "Cursor.read(in);"))
          .map(Bug::inStreams)
          .toList();

  private StreamBugs() {}
}
