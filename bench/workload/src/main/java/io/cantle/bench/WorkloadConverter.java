package io.cantle.bench;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a workload from the command line, and names all of them when there is no such.
 *
 * <p><b>Threading:</b> immutable.
 */
final class WorkloadConverter implements ITypeConverter<Workload> {
  @Override
  public Workload convert(String word) {
    for (Workload workload : Workload.values()) {
      if (workload.label().equals(word)) {
        return workload;
      }
    }
    throw new TypeConversionException(
        "`"
            + word
            + "` is none of "
            + Arrays.stream(Workload.values()).map(Workload::label).toList());
  }
}
