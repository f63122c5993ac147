package io.cantle.simulation.planted;

import java.util.ArrayList;
import java.util.List;

/**
 * A bug that can be planted.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name what it is called on the command line
 * @param plants what is wrong with it planted
 * @param edits what it changes
 * @param aids harmless changes without which it would hardly show: a limit lowered, a wait made
 *     longer
 * @param words what the simulation is told besides, so that such seeds are run as could show it
 */
public record Bug(
    String name, String plants, List<Edit> edits, List<Edit> aids, List<String> words) {
  /** Keeps the lists as they are now. */
  public Bug {
    edits = List.copyOf(edits);
    aids = List.copyOf(aids);
    words = List.copyOf(words);
  }

  /** A bug in one place. */
  public static Bug of(String name, String plants, String file, String from, String to) {
    return of(name, plants, new Edit(file, from, to));
  }

  /** A bug in several places. */
  public static Bug of(String name, String plants, Edit... edits) {
    return new Bug(name, plants, List.of(edits), List.of(), List.of());
  }

  /** The same bug, helped to show by a harmless change. */
  public Bug aidedBy(String file, String from, String to) {
    List<Edit> more = new ArrayList<>(aids);
    more.add(new Edit(file, from, to));
    return new Bug(name, plants, edits, more, words);
  }

  /** The same bug, hunted in grids whose nodes go on when they are cut off. */
  public Bug inAvailableGrids() {
    return new Bug(name, plants, edits, aids, List.of("--mode", "available"));
  }

  /** The same bug, hunted in grids whose nodes have stores. */
  public Bug inDurableGrids() {
    return new Bug(name, plants, edits, aids, List.of("--mode", "durable"));
  }

  /** The same bug, hunted by clients that stream. */
  public Bug inStreams() {
    return new Bug(name, plants, edits, aids, List.of("--workload", "streams"));
  }

  /** The same bug, hunted in seeds of its own: the simulation is told these words. */
  public Bug amid(String... told) {
    return new Bug(name, plants, edits, aids, List.of(told));
  }

  /** Whether it is hunted by walks over topologies alone. */
  boolean isHuntedByWalks() {
    return words.contains("--topologies");
  }

  /** The aids without the bug: nothing may be found with these planted. */
  Bug withoutHarm() {
    return new Bug(name + "-aids", "nothing but what helps " + name, List.of(), aids, words);
  }
}
