package io.cantle.chaos.process;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One flat JSON object on one line: the format of the histories, and of the messages between the
 * conductor and its nodes. Values are texts and whole numbers only.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param fields by name, in the order they were added; each a String or a Long
 */
public record JsonLine(Map<String, Object> fields) {

  /** Copies the fields. */
  public JsonLine {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  /** Returns a line without fields. */
  public static JsonLine empty() {
    return new JsonLine(Map.of());
  }

  /** Returns this line with one more text. */
  public JsonLine with(String name, String value) {
    return withAdded(name, value);
  }

  /** Returns this line with one more number. */
  public JsonLine with(String name, long value) {
    return withAdded(name, value);
  }

  private JsonLine withAdded(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(fields);
    more.put(name, value);
    return new JsonLine(more);
  }

  /** Returns whether there is a field of this name. */
  public boolean has(String name) {
    return fields.containsKey(name);
  }

  /** Returns whether a field is this text. */
  public boolean hasValue(String name, String value) {
    return value.equals(fields.get(name));
  }

  /** Returns the text of a field; throws if there is none. */
  public String text(String name) {
    if (fields.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(this + " has no text \"" + name + "\"");
  }

  /** Returns the text of a field, or the default if there is none. */
  public String text(String name, String defaultValue) {
    return fields.get(name) instanceof String text ? text : defaultValue;
  }

  /** Returns the number of a field; throws if there is none. */
  public long number(String name) {
    if (fields.get(name) instanceof Long number) {
      return number;
    }
    throw new IllegalArgumentException(this + " has no number \"" + name + "\"");
  }

  /** Returns the number of a field, or the default if there is none. */
  public long number(String name, long defaultValue) {
    return fields.get(name) instanceof Long number ? number : defaultValue;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(128).append('{');
    fields.forEach(
        (name, value) -> {
          if (text.length() > 1) {
            text.append(',');
          }
          quote(text, name);
          text.append(':');
          if (value instanceof Long number) {
            text.append(number.longValue());
          } else {
            quote(text, (String) value);
          }
        });
    return text.append('}').toString();
  }

  private static void quote(StringBuilder text, String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ') {
        text.append("\\u%04x".formatted((int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }

  /**
   * Parses a line.
   *
   * @throws IllegalArgumentException if it is no flat object of texts and whole numbers
   */
  public static JsonLine parse(String line) {
    return new Parser(line).parseObject();
  }

  /** Parses one line from left to right. */
  private static final class Parser {
    private final String line;
    private int position;

    Parser(String line) {
      this.line = line;
    }

    JsonLine parseObject() {
      Map<String, Object> fields = new LinkedHashMap<>();
      expect('{');
      if (peek() == '}') {
        position++;
      } else {
        do {
          String name = parseText();
          expect(':');
          fields.put(name, peek() == '"' ? parseText() : parseNumber());
        } while (hasMore());
      }
      if (position != line.length()) {
        throw malformed();
      }
      return new JsonLine(fields);
    }

    private boolean hasMore() {
      char c = peek();
      position++;
      if (c != ',' && c != '}') {
        throw malformed();
      }
      return c == ',';
    }

    private String parseText() {
      expect('"');
      StringBuilder text = new StringBuilder();
      for (char c = peek(); c != '"'; c = peek()) {
        position++;
        text.append(c == '\\' ? parseEscape() : c);
      }
      position++;
      return text.toString();
    }

    private char parseEscape() {
      char c = peek();
      position++;
      if (c != 'u') {
        return c;
      }
      if (position + 4 > line.length()) {
        throw malformed();
      }
      position += 4;
      return (char) Integer.parseInt(line.substring(position - 4, position), 16);
    }

    private Long parseNumber() {
      int start = position;
      while (peek() == '-' || Character.isDigit(peek())) {
        position++;
      }
      try {
        return Long.valueOf(line.substring(start, position));
      } catch (NumberFormatException e) {
        throw malformed(e);
      }
    }

    private char peek() {
      if (position >= line.length()) {
        throw malformed();
      }
      return line.charAt(position);
    }

    private void expect(char c) {
      if (peek() != c) {
        throw malformed();
      }
      position++;
    }

    private IllegalArgumentException malformed() {
      return malformed(null);
    }

    private IllegalArgumentException malformed(@Nullable Throwable cause) {
      return new IllegalArgumentException(
          "not a flat JSON object, at character " + position + ": " + line, cause);
    }
  }
}
