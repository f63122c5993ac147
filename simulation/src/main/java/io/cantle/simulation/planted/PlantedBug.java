package io.cantle.simulation.planted;

import java.util.ArrayList;
import java.util.List;

/**
 * A bug that can be planted in the sources.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name its name on the command line
 * @param description what is wrong when it is planted
 * @param edits what it changes
 * @param helperEdits harmless changes without which it would hardly show: a lower limit, or a
 *     longer wait
 * @param extraWords further arguments for the simulation, which select seeds that can show it
 */
public record PlantedBug(
    String name,
    String description,
    List<SourceEdit> edits,
    List<SourceEdit> helperEdits,
    List<String> extraWords) {
  /** What the name of a bug's aids ends in. */
  static final String AIDS = "-aids";

  /** Copies the lists. */
  public PlantedBug {
    edits = List.copyOf(edits);
    helperEdits = List.copyOf(helperEdits);
    extraWords = List.copyOf(extraWords);
  }

  /** Returns a bug in one place. */
  public static PlantedBug of(String name, String plants, String file, String from, String to) {
    return of(name, plants, new SourceEdit(file, from, to));
  }

  /** Returns a bug in several places. */
  public static PlantedBug of(String name, String plants, SourceEdit... edits) {
    return new PlantedBug(name, plants, List.of(edits), List.of(), List.of());
  }

  /** Returns the same bug with a harmless change that helps it to show. */
  public PlantedBug withHelper(String file, String from, String to) {
    List<SourceEdit> more = new ArrayList<>(helperEdits);
    more.add(new SourceEdit(file, from, to));
    return new PlantedBug(name, description, edits, more, extraWords);
  }

  /** Returns the same bug with more harmless changes. */
  PlantedBug withHelpers(List<SourceEdit> added) {
    List<SourceEdit> more = new ArrayList<>(helperEdits);
    more.addAll(added);
    return new PlantedBug(name, description, edits, more, extraWords);
  }

  /** Returns the same bug, hunted in grids whose nodes go on when they are cut off. */
  public PlantedBug forAvailableGrids() {
    return new PlantedBug(name, description, edits, helperEdits, List.of("--mode", "available"));
  }

  /** Returns the same bug, hunted in grids whose nodes have stores. */
  public PlantedBug forDurableGrids() {
    return new PlantedBug(name, description, edits, helperEdits, List.of("--mode", "durable"));
  }

  /** Returns the same bug, hunted by clients that use streams. */
  public PlantedBug forStreams() {
    return new PlantedBug(name, description, edits, helperEdits, List.of("--workload", "streams"));
  }

  /** Returns the same bug, hunted in seeds of its own, which these arguments select. */
  public PlantedBug withFaults(String... words) {
    return new PlantedBug(name, description, edits, helperEdits, List.of(words));
  }

  /** Returns whether it is hunted by walks over topologies alone. */
  boolean isHuntedByWalks() {
    return extraWords.contains("--topologies");
  }

  /** Returns the helper edits without the bug. Nothing may be found with these planted. */
  PlantedBug withHelpersOnly() {
    return new PlantedBug(
        name + AIDS, "nothing but what helps " + name, List.of(), helperEdits, extraWords);
  }
}
