package io.cantle.bench;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A writer of records, maps, lists, strings and numbers as JSON, one member per line.
 *
 * <p><b>Threading:</b> one thread; {@link #text} by any.
 */
final class BenchmarkJson {
  // More digits than the figures are exact to, and few enough to keep the file readable.
  private static final MathContext NUMBER_FORMAT = new MathContext(6);

  private final StringBuilder text = new StringBuilder();

  private BenchmarkJson() {}

  /** Returns the JSON of a value, ending with a line end. */
  static String toJson(Record value) {
    var json = new BenchmarkJson();
    json.write(value, 0);
    return json.text.append('\n').toString();
  }

  /** Returns the JSON of named values in their order, ending with a line end. */
  static String toJson(Map<String, ?> values) {
    var json = new BenchmarkJson();
    json.write(values, 0);
    return json.text.append('\n').toString();
  }

  private void write(@Nullable Object value, int depth) {
    switch (value) {
      case null -> text.append("null");
      case String string -> quote(string);
      case Double number ->
          text.append(BigDecimal.valueOf(number).round(NUMBER_FORMAT).toPlainString());
      case Number number -> text.append(number);
      case Record object -> writeObject(membersOf(object), depth);
      case Map<?, ?> object -> writeObject(object, depth);
      case Iterable<?> list -> writeList(list, depth);
      default -> throw new IllegalArgumentException(value.getClass() + " has no form in JSON");
    }
  }

  private void writeObject(Map<?, ?> object, int depth) {
    text.append('{');
    String separator = "";
    for (Map.Entry<?, ?> member : object.entrySet()) {
      text.append(separator);
      newLine(depth + 1);
      quote(String.valueOf(member.getKey()));
      text.append(": ");
      write(member.getValue(), depth + 1);
      separator = ",";
    }
    newLine(depth);
    text.append('}');
  }

  private static Map<String, @Nullable Object> membersOf(Record object) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    for (RecordComponent component : object.getClass().getRecordComponents()) {
      members.put(component.getName(), component(object, component));
    }
    return members;
  }

  private static @Nullable Object component(Record object, RecordComponent component) {
    try {
      return component.getAccessor().invoke(object);
    } catch (ReflectiveOperationException failure) {
      throw new IllegalArgumentException(component + " cannot be read", failure);
    }
  }

  private void writeList(Iterable<?> list, int depth) {
    text.append('[');
    String separator = "";
    for (Object element : list) {
      text.append(separator);
      newLine(depth + 1);
      write(element, depth + 1);
      separator = ",";
    }
    newLine(depth);
    text.append(']');
  }

  private void newLine(int depth) {
    text.append('\n').repeat("  ", depth);
  }

  private void quote(String string) {
    text.append('"');
    for (int index = 0; index < string.length(); index++) {
      char character = string.charAt(index);
      if (character == '"' || character == '\\') {
        text.append('\\').append(character);
      } else if (character < ' ') {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
      } else {
        text.append(character);
      }
    }
    text.append('"');
  }
}
