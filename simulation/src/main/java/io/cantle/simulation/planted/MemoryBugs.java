package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of the memory that scans share.
 *
 * <p><b>Threading:</b> immutable.
 */
final class MemoryBugs {
  private static final String PULLING = "publish/PullClient.java";

  static final List<PlantedBug> ALL =
      List.of(
          PlantedBug.of(
              "answer-memory-kept",
              "an owner does not give back the memory of answers that have left",
              "publish/AnswerMemory.java",
              "account.release(bytes); bytes = 0;",
              "bytes = 0;"),
          PlantedBug.of(
              "buffer-memory-kept",
              "a scan does not give back the memory of answers that were read",
              PULLING,
              "prefetches |= bufferedAnswers == 0; answerBytes = Math.min(2 * answerBytes, "
                  + "usualAnswerBytes()); buffer.release(answer.reservedBytes);",
              "prefetches |= bufferedAnswers == 0; answerBytes = Math.min(2 * answerBytes, "
                  + "usualAnswerBytes());"),
          PlantedBug.of(
              "reclaimed-without-cursor",
              "what is dropped because others need its memory is not asked for again",
              PULLING,
              "rest.merge(block.segment, block.begin, SegmentCursor::earlier);",
              ""),
          PlantedBug.of(
                  "reclaimed-from-segment-begin",
                  "what is dropped because others need its memory is asked for from where a segment"
                      + " begins",
                  PULLING,
                  "rest.merge(block.segment, block.begin, SegmentCursor::earlier);",
                  "rest.merge(block.segment, SegmentCursor.START, SegmentCursor::earlier);")
              // Segments are small: with blocks as they are most are one.
              .withHelper(
                  "publish/PullServer.java", "BLOCK_BYTES = 4 << 10;", "BLOCK_BYTES = 64;"));

  private MemoryBugs() {}
}
