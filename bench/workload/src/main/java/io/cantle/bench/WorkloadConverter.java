package io.cantle.bench;

import java.util.List;

/**
 * A converter that parses a workload on the command line.
 *
 * <p><b>Threading:</b> immutable.
 */
final class WorkloadConverter extends LabelConverter<Workload> {
  WorkloadConverter() {
    super(List.of(Workload.values()), Workload::label);
  }
}
