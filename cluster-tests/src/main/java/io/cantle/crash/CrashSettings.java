package io.cantle.crash;

import java.util.List;
import java.util.Set;

/**
 * The settings of a run with real processes.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cuts how often the power is cut
 * @param kills how often a writer is killed
 * @param errors how often a call of a writer is made to fail
 * @param fileSystems on which the power is cut
 * @param seed draws the moments
 * @param forgotten the kind of sync that writers leave out; {@link CrashWriter#HONEST} for none
 */
record CrashSettings(
    int cuts, int kills, int errors, List<String> fileSystems, long seed, String forgotten) {
  private static final int MAX_CRASHES = 100_000;

  CrashSettings {
    requireWithin("--cuts", cuts);
    requireWithin("--kills", kills);
    requireWithin("--errors", errors);
    Set<String> known = DiskImage.PACKAGES.keySet();
    if (fileSystems.isEmpty() || !known.containsAll(fileSystems)) {
      throw new IllegalArgumentException("--filesystems " + fileSystems + " are not of " + known);
    }
  }

  private static void requireWithin(String option, int value) {
    if (value < 0 || value > MAX_CRASHES) {
      throw new IllegalArgumentException(
          option + " " + value + " is not within 0 to " + MAX_CRASHES);
    }
  }

  boolean isPlanted() {
    return !forgotten.equals(CrashWriter.HONEST);
  }
}
