package io.cantle.simulation.planted;

/**
 * How the hunt for a bug ended.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param bug which
 * @param found whether a seed violated something
 * @param seeds how many seeds it took, the one that violated included
 * @param seed the seed that violated something, if one did
 * @param said what was violated, or why nothing was
 */
record Finding(Bug bug, boolean found, long seeds, long seed, String said) {
  private static final int LONGEST_LINE = 160;

  /** What was reported, on one line. */
  String line() {
    return said.length() <= LONGEST_LINE ? said : said.substring(0, LONGEST_LINE) + " ...";
  }
}
