package io.cantle.bench;

import io.cantle.bench.log.LogVariant;

/**
 * Reads a log from the command line.
 *
 * <p><b>Threading:</b> immutable.
 */
final class LogVariantConverter extends LabelConverter<LogVariant> {
  LogVariantConverter() {
    super(LogVariant.values(), LogVariant::label);
  }
}
