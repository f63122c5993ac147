package io.cantle.simulation.planted;

import java.util.Locale;

/**
 * The result of the hunt for a bug.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param bug which bug
 * @param isFound whether a seed violated something
 * @param seeds how many seeds it took, the violating one included
 * @param seed the seed that violated something, if one did
 * @param message what was violated, or why nothing was
 * @param millis how long the hunt took, with planting and the control run
 */
record HuntResult(
    PlantedBug bug, boolean isFound, long seeds, long seed, String message, long millis) {
  private static final int MAX_LINE_CHARS = 160;

  /** Creates the result of a hunt that is not over. */
  HuntResult(PlantedBug bug, boolean isFound, long seeds, long seed, String message) {
    this(bug, isFound, seeds, seed, message, 0);
  }

  /** Returns the same result with the time that the whole hunt took. */
  HuntResult after(long millis) {
    return new HuntResult(bug, isFound, seeds, seed, message, millis);
  }

  /** Returns the time and the message on one line. */
  String toLine() {
    String shown =
        message.length() <= MAX_LINE_CHARS
            ? message
            : message.substring(0, MAX_LINE_CHARS) + " ...";
    return String.format(Locale.ROOT, "%.1f s: %s", millis / 1_000.0, shown);
  }
}
