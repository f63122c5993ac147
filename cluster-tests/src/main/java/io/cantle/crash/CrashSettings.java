package io.cantle.crash;

import java.util.List;
import java.util.Set;

/**
 * What a run with real processes is to do.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cuts how often the power is cut
 * @param kills how often a writer is killed
 * @param errors how often a call of a writer is made to fail
 * @param fileSystems on which the power is cut
 * @param seed draws the moments
 * @param forgotten the kind of sync that writers leave out; {@link Writer#HONEST} for none
 */
record CrashSettings(
    int cuts, int kills, int errors, List<String> fileSystems, long seed, String forgotten) {
  private static final int MOST = 100_000;

  CrashSettings {
    within("--cuts", cuts);
    within("--kills", kills);
    within("--errors", errors);
    Set<String> known = Image.PACKAGES.keySet();
    if (fileSystems.isEmpty() || !known.containsAll(fileSystems)) {
      throw new IllegalArgumentException("--filesystems " + fileSystems + " are not of " + known);
    }
  }

  private static void within(String option, int value) {
    if (value < 0 || value > MOST) {
      throw new IllegalArgumentException(option + " " + value + " is not within 0 to " + MOST);
    }
  }

  boolean isPlanted() {
    return !forgotten.equals(Writer.HONEST);
  }
}
