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
 */
record MapSide(String label, Product product, List<String> arguments) {

  MapSide {
    arguments = List.copyOf(arguments);
  }

  MapSide(String label, Product product, String... arguments) {
    this(label, product, List.of(arguments));
  }
}
