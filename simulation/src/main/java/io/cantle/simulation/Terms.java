package io.cantle.simulation;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What all seeds of a campaign have in common.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param faults what a seed may draw from
 * @param virtualSeconds how long its clients work, in virtual time
 */
record Terms(Set<Fault> faults, int virtualSeconds) {
  /** The shortest run that leaves room for faults and what follows them. */
  static final int FEWEST_SECONDS = 5;

  /** The longest run whose history can be judged. */
  static final int MOST_SECONDS = 600;

  /** Everything, for as long as a seed usually takes. */
  static final Terms USUAL = new Terms(Fault.ALL, 60);

  /** Copies the set. */
  Terms {
    EnumSet<Fault> copy = EnumSet.noneOf(Fault.class);
    copy.addAll(faults);
    faults = Collections.unmodifiableSet(copy);
    if (virtualSeconds < FEWEST_SECONDS || virtualSeconds > MOST_SECONDS) {
      throw new IllegalArgumentException(
          virtualSeconds
              + " virtual seconds are not within "
              + FEWEST_SECONDS
              + " to "
              + MOST_SECONDS);
    }
  }
}
