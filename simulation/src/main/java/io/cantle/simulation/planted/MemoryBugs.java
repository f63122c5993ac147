package io.cantle.simulation.planted;

import java.util.List;

/**
 * Bugs of the memory that scans share.
 *
 * <p><b>Threading:</b> immutable.
 */
final class MemoryBugs {
  private static final String PULLING = "publish/Pulling.java";

  static final List<Bug> ALL =
      List.of(
          Bug.of(
              "answer-memory-kept",
              "an owner does not give back the memory of answers that have left",
              "publish/AnswerMemory.java",
              "account.release(bytes); bytes = 0;",
              "bytes = 0;"),
          Bug.of(
              "buffer-memory-kept",
              "a scan does not give back the memory of answers that were read",
              PULLING,
              "readsOn |= answersWaiting == 0;"
                  + " answerBytes = Math.min(2 * answerBytes, usualAnswerBytes());"
                  + " buffer.release(answer.reservedBytes);",
              "readsOn |= answersWaiting == 0;"
                  + " answerBytes = Math.min(2 * answerBytes, usualAnswerBytes());"),
          Bug.of(
              "reclaimed-without-cursor",
              "what is dropped because others need its memory is not asked for again",
              PULLING,
              "rest.merge(block.segment, block.begin, Cursor::earlier);",
              ""),
          Bug.of(
                  "reclaimed-from-segment-begin",
                  "what is dropped because others need its memory is asked for from where a segment"
                      + " begins",
                  PULLING,
                  "rest.merge(block.segment, block.begin, Cursor::earlier);",
                  "rest.merge(block.segment, Cursor.START, Cursor::earlier);")
              // Segments are small: with blocks as they are most are one.
              .aidedBy("publish/OwnerPulls.java", "BLOCK_BYTES = 4 << 10;", "BLOCK_BYTES = 64;"));

  private MemoryBugs() {}
}
