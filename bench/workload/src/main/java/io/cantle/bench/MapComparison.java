package io.cantle.bench;

import java.util.List;

/**
 * What a benchmark of maps compares.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name the name of the command
 * @param program the class that runs one round of one side: its arguments are the label of the
 *     side, the side's own ones, and how many milliseconds a measure takes
 * @param flags the flags of each JVM
 * @param maxMeasures how many measures a round has at most
 * @param amount the name of the amounts in tables
 * @param sides the maps, in the order of a round
 * @param goals what is wanted
 */
record MapComparison(
    String name,
    String program,
    List<String> flags,
    int maxMeasures,
    String amount,
    List<MapSide> sides,
    List<MapGoal> goals) {

  MapComparison {
    flags = List.copyOf(flags);
    sides = List.copyOf(sides);
    goals = List.copyOf(goals);
  }
}
