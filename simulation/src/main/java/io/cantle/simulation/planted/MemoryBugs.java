package io.cantle.simulation.planted;

import java.util.List;

/**
 * Planted bugs of the memory that scans share.
 *
 * <p><b>Threading:</b> immutable.
 */
final class MemoryBugs {
  private static final String PULLING = "scan/PullClient.java";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "answer-memory-kept",
              "an owner does not release the memory of answers that have been sent",
              "scan/AnswerMemory.java",
              "account.release(bytes); bytes = 0;",
              "bytes = 0;"),
          PlantedBug.of(
              "buffer-memory-kept",
              "a scan does not release the memory of answers that were read",
              PULLING,
              "prefetches |= bufferedAnswers == 0; answerBytes = Math.min(2 * answerBytes, "
                  + "usualAnswerBytes()); answer.reservation.release();",
              "prefetches |= bufferedAnswers == 0; answerBytes = Math.min(2 * answerBytes, "
                  + "usualAnswerBytes());"),
          PlantedBug.of(
              "reclaimed-without-cursor",
              "data dropped to free memory for others is not requested again",
              PULLING,
              "rest.merge(block.segment, block.begin, SegmentCursor::earlier);",
              ""),
          PlantedBug.of(
                  "reclaimed-from-segment-begin",
                  "data dropped to free memory for others is requested from the beginning of "
                      + "the segment",
                  PULLING,
                  "rest.merge(block.segment, block.begin, SegmentCursor::earlier);",
                  "rest.merge(block.segment, SegmentCursor.START, SegmentCursor::earlier);")
              // Segments are small: with the usual block size most are one block.
              .withHelper("scan/PullServer.java", "BLOCK_BYTES = 4 << 10;", "BLOCK_BYTES = 64;"));

  private MemoryBugs() {}
}
