package io.cantle.bench;

import io.cantle.bench.log.LogVariant;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a log from the command line, and names all of them when there is no such.
 *
 * <p><b>Threading:</b> immutable.
 */
final class LogVariantConverter implements ITypeConverter<LogVariant> {
  @Override
  public LogVariant convert(String word) {
    for (LogVariant variant : LogVariant.values()) {
      if (variant.label().equals(word)) {
        return variant;
      }
    }
    throw new TypeConversionException(
        "`"
            + word
            + "` is none of "
            + Arrays.stream(LogVariant.values()).map(LogVariant::label).toList());
  }
}
