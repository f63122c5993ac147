package io.cantle.simulation.script;

import java.util.ArrayList;
import java.util.List;

/**
 * The difference between two texts, line by line.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class LineDiff {
  private LineDiff() {}

  /** Returns the lines to be removed, with a minus, and those to be added, with a plus. */
  static List<String> between(List<String> old, List<String> changed) {
    // The length of the longest common subsequence of what begins at two lines.
    int[][] common = new int[old.size() + 1][changed.size() + 1];
    for (int i = old.size() - 1; i >= 0; i--) {
      for (int j = changed.size() - 1; j >= 0; j--) {
        common[i][j] =
            old.get(i).equals(changed.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    List<String> lines = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < old.size() || j < changed.size()) {
      if (i < old.size() && j < changed.size() && old.get(i).equals(changed.get(j))) {
        i++;
        j++;
      } else if (j == changed.size() || (i < old.size() && common[i + 1][j] >= common[i][j + 1])) {
        lines.add("line " + (i + 1) + " - " + old.get(i++));
      } else {
        lines.add("line " + (i + 1) + " + " + changed.get(j++));
      }
    }
    return lines;
  }
}
