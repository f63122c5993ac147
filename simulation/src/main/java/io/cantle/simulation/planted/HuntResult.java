package io.cantle.simulation.planted;

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
 */
record HuntResult(PlantedBug bug, boolean isFound, long seeds, long seed, String message) {
  private static final int MAX_LINE_CHARS = 160;

  /** Returns the message on one line. */
  String toLine() {
    return message.length() <= MAX_LINE_CHARS
        ? message
        : message.substring(0, MAX_LINE_CHARS) + " ...";
  }
}
