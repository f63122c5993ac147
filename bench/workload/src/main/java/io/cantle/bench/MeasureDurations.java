package io.cantle.bench;

/**
 * How long each measure takes.
 *
 * <p><b>Threading:</b> immutable.
 */
enum MeasureDurations {
  /** All products and rounds in less than ten minutes on two processors. */
  QUICK(3, 5, 1, 2, 2),
  /** Steadier figures in about half an hour. */
  FULL(10, 15, 5, 3, 5);

  /** How long a turn is measured where two rounds run side by side. */
  static final int SLICE_SECONDS = 1;

  private final int warmUpSeconds;
  private final int warmUpIterateSeconds;
  private final int warmUpAgainSeconds;
  private final int iterations;
  private final int iterationSeconds;

  MeasureDurations(
      int warmUpSeconds,
      int warmUpIterateSeconds,
      int warmUpAgainSeconds,
      int iterations,
      int iterationSeconds) {
    this.warmUpSeconds = warmUpSeconds;
    this.warmUpIterateSeconds = warmUpIterateSeconds;
    this.warmUpAgainSeconds = warmUpAgainSeconds;
    this.iterations = iterations;
    this.iterationSeconds = iterationSeconds;
  }

  /**
   * Returns the seconds before measuring. It is longest for the longest call, which a warm-up
   * repeats least often. It is shortest when the same workload just ran with fewer threads.
   */
  int warmUpSeconds(WorkloadMeasure measure) {
    if (measure.threads() > 1) {
      return warmUpAgainSeconds;
    }
    return measure.workload() == Workload.ITERATE ? warmUpIterateSeconds : warmUpSeconds;
  }

  /** Returns how many times is measured after the warm-up. */
  int iterations() {
    return iterations;
  }

  /** Returns how long each of these takes. */
  int iterationSeconds() {
    return iterationSeconds;
  }

  /**
   * Returns into how many turns a measure is divided after its warm-up where two rounds take turns.
   */
  int slices() {
    return iterations * iterationSeconds / SLICE_SECONDS;
  }

  /** Returns how long a measure takes from beginning to end. */
  int seconds(WorkloadMeasure measure) {
    return warmUpSeconds(measure) + iterations * iterationSeconds;
  }
}
