package io.cantle.bench;

import java.util.List;

/**
 * One of the maps that a benchmark compares.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param label its name in tables and files, and for the program of a round
 * @param product the product whose class path the JVM of a round has
 * @param arguments what else the program of a round is told of it
 * @param hasJvm whether it has a JVM of its own; otherwise another side measures it in turn with
 *     itself, since both are the same code
 */
record MapSide(String label, Product product, List<String> arguments, boolean hasJvm) {

  MapSide {
    arguments = List.copyOf(arguments);
  }

  MapSide(String label, Product product, String... arguments) {
    this(label, product, List.of(arguments), true);
  }

  /** A side of Cantle that another side of it measures. */
  static MapSide measuredByAnother(String label) {
    return new MapSide(label, Product.CANTLE, List.of(), false);
  }
}
