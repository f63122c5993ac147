package io.cantle.crash;

import java.util.ArrayList;
import java.util.List;

/**
 * What all checks of a run found.
 *
 * <p><b>Threading:</b> one thread.
 */
final class CrashVerdict {
  private static final int MAX_PRINTED = 20;

  private final List<String> printedCount = new ArrayList<>();
  private long acked;
  private long lost;
  private long torn;
  private long afterFailure;

  void addAcked(long more) {
    acked += more;
  }

  /** Something that was acknowledged is not there. */
  void recordLost(String description) {
    lost++;
    printOnce("lost: " + description);
  }

  /** Something is there that nobody wrote so. */
  void recordTorn(String description) {
    torn++;
    printOnce("torn: " + description);
  }

  /** Something was begun after a failure and acknowledged. */
  void recordAckAfterFailure(String description) {
    afterFailure++;
    printOnce("acknowledged after a failure: " + description);
  }

  private void printOnce(String description) {
    if (printedCount.size() < MAX_PRINTED) {
      printedCount.add(description);
    }
  }

  long acked() {
    return acked;
  }

  long lost() {
    return lost;
  }

  long torn() {
    return torn;
  }

  long afterFailure() {
    return afterFailure;
  }

  boolean isClean() {
    return lost + torn + afterFailure == 0;
  }

  /** The first of what is wrong, since this was asked last. */
  List<String> takeNews() {
    List<String> lines = List.copyOf(printedCount);
    printedCount.clear();
    return lines;
  }
}
