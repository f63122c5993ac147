package io.cantle.bench;

import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A converter that parses one of a few values by its label on the command line, and lists all of
 * them when there is no such value.
 *
 * <p><b>Threading:</b> immutable.
 */
class LabelConverter<T> implements ITypeConverter<T> {
  private final List<T> values;
  private final Function<T, String> label;

  LabelConverter(List<T> values, Function<T, String> label) {
    this.values = List.copyOf(values);
    this.label = label;
  }

  @Override
  public T convert(String word) {
    for (T value : values) {
      if (label.apply(value).equals(word)) {
        return value;
      }
    }
    throw new TypeConversionException(
        "`" + word + "` is none of " + values.stream().map(label).toList());
  }
}
