package io.cantle.chaos.process;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One flat JSON object on one line: the histories and what goes between the conductor and its
 * nodes. Values are texts and whole numbers only.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param fields by name, in the order they were added; each a String or a Long
 */
public record JsonLine(Map<String, Object> fields) {

  /** Keeps the fields as they are now. */
  public JsonLine {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  /** A line without fields. */
  public static JsonLine empty() {
    return new JsonLine(Map.of());
  }

  /** This line with one more text. */
  public JsonLine with(String name, String value) {
    return added(name, value);
  }

  /** This line with one more number. */
  public JsonLine with(String name, long value) {
    return added(name, value);
  }

  private JsonLine added(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(fields);
    more.put(name, value);
    return new JsonLine(more);
  }

  /** Whether there is a field of this name. */
  public boolean has(String name) {
    return fields.containsKey(name);
  }

  /** Whether a field is this text. */
  public boolean is(String name, String value) {
    return value.equals(fields.get(name));
  }

  /** The text of a field; throws if there is none. */
  public String text(String name) {
    if (fields.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(this + " has no text \"" + name + "\"");
  }

  /** The text of a field, or another if there is none. */
  public String text(String name, String otherwise) {
    return fields.get(name) instanceof String text ? text : otherwise;
  }

  /** The number of a field; throws if there is none. */
  public long number(String name) {
    if (fields.get(name) instanceof Long number) {
      return number;
    }
    throw new IllegalArgumentException(this + " has no number \"" + name + "\"");
  }

  /** The number of a field, or another if there is none. */
  public long number(String name, long otherwise) {
    return fields.get(name) instanceof Long number ? number : otherwise;
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
   * Reads a line.
   *
   * @throws IllegalArgumentException if it is no flat object of texts and whole numbers
   */
  public static JsonLine parse(String line) {
    return new Parser(line).object();
  }

  /** Reads one line from left to right. */
  private static final class Parser {
    private final String line;
    private int at;

    Parser(String line) {
      this.line = line;
    }

    JsonLine object() {
      Map<String, Object> fields = new LinkedHashMap<>();
      expect('{');
      if (peek() == '}') {
        at++;
      } else {
        do {
          String name = text();
          expect(':');
          fields.put(name, peek() == '"' ? text() : number());
        } while (more());
      }
      if (at != line.length()) {
        throw wrong();
      }
      return new JsonLine(fields);
    }

    private boolean more() {
      char c = peek();
      at++;
      if (c != ',' && c != '}') {
        throw wrong();
      }
      return c == ',';
    }

    private String text() {
      expect('"');
      StringBuilder text = new StringBuilder();
      for (char c = peek(); c != '"'; c = peek()) {
        at++;
        text.append(c == '\\' ? escaped() : c);
      }
      at++;
      return text.toString();
    }

    private char escaped() {
      char c = peek();
      at++;
      if (c != 'u') {
        return c;
      }
      if (at + 4 > line.length()) {
        throw wrong();
      }
      at += 4;
      return (char) Integer.parseInt(line.substring(at - 4, at), 16);
    }

    private Long number() {
      int start = at;
      while (peek() == '-' || Character.isDigit(peek())) {
        at++;
      }
      try {
        return Long.valueOf(line.substring(start, at));
      } catch (NumberFormatException e) {
        throw wrong(e);
      }
    }

    private char peek() {
      if (at >= line.length()) {
        throw wrong();
      }
      return line.charAt(at);
    }

    private void expect(char c) {
      if (peek() != c) {
        throw wrong();
      }
      at++;
    }

    private IllegalArgumentException wrong() {
      return wrong(null);
    }

    private IllegalArgumentException wrong(@Nullable Throwable cause) {
      return new IllegalArgumentException(
          "not a flat JSON object, at character " + at + ": " + line, cause);
    }
  }
}
