package io.cantle.bench;

/**
 * Reads a workload from the command line.
 *
 * <p><b>Threading:</b> immutable.
 */
final class WorkloadConverter extends LabelConverter<Workload> {
  WorkloadConverter() {
    super(Workload.values(), Workload::label);
  }
}
