package io.cantle.bench;

import java.util.List;
import java.util.Locale;

/**
 * The workloads, in the order of a round: reading comes before writing, so that every product reads
 * what was loaded.
 *
 * <p><b>Threading:</b> immutable.
 */
enum Workload {
  /** The number of entries. */
  SIZE(1),
  /** The value of a random key. */
  GET(4),
  /** Filters, then counts by hour, where the entries are stored. */
  GROUP(1),
  /** All entries through an iterator. */
  ITERATE(1),
  /** A new value for a random key; returns the old one. */
  PUT(4),
  /** A new value for a random key; returns nothing. */
  SET(4);

  private final int mostThreads;

  Workload(int mostThreads) {
    this.mostThreads = mostThreads;
  }

  /**
   * Returns its name on the command line, in tables and files; also its method in PeerBenchmark.
   */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the numbers of threads with which it is measured, in this order. */
  List<Integer> threads() {
    return mostThreads == 1 ? List.of(1) : List.of(1, mostThreads);
  }
}
