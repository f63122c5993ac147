package io.cantle.crash;

import java.util.ArrayList;
import java.util.List;

/**
 * What all checks of a run found.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Verdict {
  private static final int MOST_TOLD = 20;

  private final List<String> told = new ArrayList<>();
  private long acked;
  private long lost;
  private long torn;
  private long afterFailure;

  void addAcked(long more) {
    acked += more;
  }

  /** Something that was acknowledged is not there. */
  void lost(String what) {
    lost++;
    tell("lost: " + what);
  }

  /** Something is there that nobody wrote so. */
  void torn(String what) {
    torn++;
    tell("torn: " + what);
  }

  /** Something was begun after a failure and acknowledged. */
  void ackedAfterFailure(String what) {
    afterFailure++;
    tell("acknowledged after a failure: " + what);
  }

  private void tell(String what) {
    if (told.size() < MOST_TOLD) {
      told.add(what);
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
  List<String> news() {
    List<String> news = List.copyOf(told);
    told.clear();
    return news;
  }
}
