package io.cantle.simulation.planted;

import java.util.ArrayList;
import java.util.List;

/**
 * A bug that can be planted.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name what it is called on the command line
 * @param description what is wrong with it planted
 * @param edits what it changes
 * @param helperEdits harmless changes without which it would hardly show: a limit lowered, a wait
 *     made longer
 * @param extraWords what the simulation is told besides, so that such seeds are run as could show
 *     it
 */
public record PlantedBug(
    String name,
    String description,
    List<SourceEdit> edits,
    List<SourceEdit> helperEdits,
    List<String> extraWords) {
  /** Keeps the lists as they are now. */
  public PlantedBug {
    edits = List.copyOf(edits);
    helperEdits = List.copyOf(helperEdits);
    extraWords = List.copyOf(extraWords);
  }

  /** A bug in one place. */
  public static PlantedBug of(String name, String plants, String file, String from, String to) {
    return of(name, plants, new SourceEdit(file, from, to));
  }

  /** A bug in several places. */
  public static PlantedBug of(String name, String plants, SourceEdit... edits) {
    return new PlantedBug(name, plants, List.of(edits), List.of(), List.of());
  }

  /** The same bug, helped to show by a harmless change. */
  public PlantedBug withHelper(String file, String from, String to) {
    List<SourceEdit> more = new ArrayList<>(helperEdits);
    more.add(new SourceEdit(file, from, to));
    return new PlantedBug(name, description, edits, more, extraWords);
  }

  /** The same bug, hunted in grids whose nodes go on when they are cut off. */
  public PlantedBug forAvailableGrids() {
    return new PlantedBug(name, description, edits, helperEdits, List.of("--mode", "available"));
  }

  /** The same bug, hunted in grids whose nodes have stores. */
  public PlantedBug forDurableGrids() {
    return new PlantedBug(name, description, edits, helperEdits, List.of("--mode", "durable"));
  }

  /** The same bug, hunted by clients that stream. */
  public PlantedBug forStreams() {
    return new PlantedBug(name, description, edits, helperEdits, List.of("--workload", "streams"));
  }

  /** The same bug, hunted in seeds of its own: the simulation is told these words. */
  public PlantedBug withFaults(String... words) {
    return new PlantedBug(name, description, edits, helperEdits, List.of(words));
  }

  /** Whether it is hunted by walks over topologies alone. */
  boolean isHuntedByWalks() {
    return extraWords.contains("--topologies");
  }

  /** The aids without the bug: nothing may be found with these planted. */
  PlantedBug withHelpersOnly() {
    return new PlantedBug(
        name + "-aids", "nothing but what helps " + name, List.of(), helperEdits, extraWords);
  }
}
