package io.cantle.cli.console;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes nested maps and lists of numbers, strings, booleans and nulls as JSON, which is all that a
 * result needs.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class JsonWriter {
  private final StringBuilder text = new StringBuilder();

  private JsonWriter() {}

  /**
   * Formats an object with the entries in the map's order, indented by two spaces and followed by a
   * line end.
   */
  public static String toJson(Map<String, ? extends @Nullable Object> object) {
    JsonWriter json = new JsonWriter();
    json.writeObject(object, "");
    return json.text.append('\n').toString();
  }

  private void writeObject(Map<?, ?> object, String indent) {
    if (object.isEmpty()) {
      text.append("{}");
      return;
    }
    String inner = indent + "  ";
    String separator = "{\n";
    for (Map.Entry<?, ?> entry : object.entrySet()) {
      text.append(separator).append(inner);
      writeString(String.valueOf(entry.getKey()));
      text.append(": ");
      writeValue(entry.getValue(), inner);
      separator = ",\n";
    }
    text.append('\n').append(indent).append('}');
  }

  private void writeArray(List<?> array, String indent) {
    if (array.isEmpty()) {
      text.append("[]");
      return;
    }
    String inner = indent + "  ";
    String separator = "[\n";
    for (Object value : array) {
      text.append(separator).append(inner);
      writeValue(value, inner);
      separator = ",\n";
    }
    text.append('\n').append(indent).append(']');
  }

  private void writeValue(@Nullable Object value, String indent) {
    switch (value) {
      case null -> text.append("null");
      case Map<?, ?> map -> writeObject(map, indent);
      case List<?> list -> writeArray(list, indent);
      case String string -> writeString(string);
      case Integer number -> text.append(number);
      case Long number -> text.append(number);
      case Double number when Double.isFinite(number) -> text.append(number);
      case Boolean truth -> text.append(truth);
      default -> throw new IllegalArgumentException("no JSON for a " + value.getClass().getName());
    }
  }

  private void writeString(String string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> {
          if (c < ' ') {
            text.append("\\u%04x".formatted((int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }
}
