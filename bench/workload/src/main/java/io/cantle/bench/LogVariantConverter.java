package io.cantle.bench;

import io.cantle.bench.log.LogVariant;
import java.util.List;

/**
 * A converter that parses a log variant on the command line.
 *
 * <p><b>Threading:</b> immutable.
 */
final class LogVariantConverter extends LabelConverter<LogVariant> {
  LogVariantConverter() {
    super(List.of(LogVariant.values()), LogVariant::label);
  }
}
