package io.cantle.bench;

import java.util.List;
import java.util.Locale;

/**
 * What is measured. The order is that of a round: reading comes before writing, so that every
 * product reads what was loaded.
 *
 * <p><b>Threading:</b> immutable.
 */
enum Workload {
  /** The number of entries. */
  SIZE(1),
  /** The value of a random key. */
  GET(4),
  /** Filter, then count by hour, where the entries are. */
  GROUP(1),
  /** All entries through an iterator. */
  ITERATE(1),
  /** A new value for a random key; answers the old one. */
  PUT(4),
  /** A new value for a random key; answers nothing. */
  SET(4);

  private final int mostThreads;

  Workload(int mostThreads) {
    this.mostThreads = mostThreads;
  }

  /** How it is named on the command line, in tables and files; also its method in PeerBenchmark. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** With how many threads it is measured, in this order. */
  List<Integer> threads() {
    return mostThreads == 1 ? List.of(1) : List.of(1, mostThreads);
  }
}
