package io.cantle.simulation.planted;

import java.util.List;

/**
 * A bug that can be planted.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name what it is called on the command line
 * @param plants what is wrong with it planted
 * @param awaits what the simulation cannot do yet that this bug needs to show; empty for nothing
 * @param edits what it changes
 */
record Bug(String name, String plants, String awaits, List<Edit> edits) {
  Bug {
    edits = List.copyOf(edits);
  }

  /** A bug in one place. */
  static Bug of(String name, String plants, String file, String from, String to) {
    return of(name, plants, new Edit(file, from, to));
  }

  /** A bug in several places. */
  static Bug of(String name, String plants, Edit... edits) {
    return new Bug(name, plants, "", List.of(edits));
  }

  /** The same bug, left out of campaigns until the simulation can do this. */
  Bug awaiting(String what) {
    return new Bug(name, plants, what, edits);
  }

  /** Whether campaigns hunt it. */
  boolean hunted() {
    return awaits.isEmpty();
  }
}
