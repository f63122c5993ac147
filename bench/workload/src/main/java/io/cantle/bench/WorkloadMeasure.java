package io.cantle.bench;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * A workload with a number of threads: one figure of a round.
 *
 * <p><b>Threading:</b> immutable.
 */
record WorkloadMeasure(Workload workload, int threads) implements Comparable<WorkloadMeasure> {

  /** Returns all measures of some workloads, in the order they are taken. */
  static List<WorkloadMeasure> of(Collection<Workload> workloads) {
    List<WorkloadMeasure> measures = new ArrayList<>();
    workloads.stream()
        .sorted()
        .forEach(
            workload -> {
              for (int threads : workload.threads()) {
                measures.add(new WorkloadMeasure(workload, threads));
              }
            });
    return measures;
  }

  /** Returns how it is written in the file of a round, see {@link #parse}. */
  String label() {
    return workload.label() + "." + threads;
  }

  /** Returns the measure of a {@link #label()}. */
  static WorkloadMeasure parse(String label) {
    int dot = label.indexOf('.');
    return new WorkloadMeasure(
        Workload.valueOf(label.substring(0, dot).toUpperCase(java.util.Locale.ROOT)),
        Integer.parseInt(label.substring(dot + 1)));
  }

  @Override
  public int compareTo(WorkloadMeasure other) {
    return Comparator.comparing(WorkloadMeasure::workload)
        .thenComparingInt(WorkloadMeasure::threads)
        .compare(this, other);
  }

  @Override
  public String toString() {
    return workload.label() + ", " + threads + (threads == 1 ? " thread" : " threads");
  }
}
