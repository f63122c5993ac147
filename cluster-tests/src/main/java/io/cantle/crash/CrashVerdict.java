package io.cantle.crash;

import java.util.ArrayList;
import java.util.List;

/**
 * The findings of all checks of a run.
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

  /** Records that something acknowledged is missing. */
  void recordLost(String description) {
    lost++;
    printOnce("lost: " + description);
  }

  /** Records that something is there that nobody wrote in that form. */
  void recordTorn(String description) {
    torn++;
    printOnce("torn: " + description);
  }

  /** Records that something begun after a failure was acknowledged. */
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

  /** Returns the first new findings since the last call. */
  List<String> takeNews() {
    List<String> lines = List.copyOf(printedCount);
    printedCount.clear();
    return lines;
  }
}
