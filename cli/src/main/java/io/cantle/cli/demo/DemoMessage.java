package io.cantle.cli.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One line between the demo and a node: a word, then {@code name=value} fields, separated by tabs.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param word what it is about
 * @param fields by name, in the order they were added
 */
record DemoMessage(String word, Map<String, String> fields) {

  // Node to demo.
  static final String JOINED = "joined";
  static final String PROGRESS = "progress";
  static final String VICTIM = "victim";
  static final String DONE = "done";
  static final String FAILED = "failed";

  // Demo to node. A node stops when its input ends.
  static final String LOAD = "load";
  static final String STREAM = "stream";
  static final String ROUTES = "routes";
  static final String PUBLISH = "publish";
  static final String ITERATE = "iterate";
  static final String CONTINUE = "continue";
  static final String CHECK = "check";

  static final int MAX_LINE_BYTES = 8_192;

  private static final int MAX_VALUE_CHARS = 2_000;

  DemoMessage {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  static DemoMessage of(String word) {
    return new DemoMessage(word, Map.of());
  }

  /** The same with one more field. Of a value that is too long the start is kept. */
  DemoMessage with(String name, Object value) {
    String text = value.toString().replaceAll("[\\t\\r\\n]+", " ");
    Map<String, String> extended = new LinkedHashMap<>(fields);
    extended.put(name, text.substring(0, Math.min(text.length(), MAX_VALUE_CHARS)));
    return new DemoMessage(word, extended);
  }

  boolean hasWord(String expected) {
    return word.equals(expected);
  }

  boolean hasWord(String field, String value) {
    return value.equals(fields.get(field));
  }

  String textField(String name) {
    String value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException("\"" + toLine() + "\" has no " + name);
    }
    return value;
  }

  long numberField(String name) {
    return Long.parseLong(textField(name));
  }

  /** As it travels, without the end of the line. */
  String toLine() {
    StringBuilder line = new StringBuilder(word);
    fields.forEach((name, value) -> line.append('\t').append(name).append('=').append(value));
    return line.toString();
  }

  /** The message a line holds. */
  static DemoMessage parse(String line) {
    String[] parts = line.split("\t", -1);
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("\"" + line + "\" is no message");
      }
      fields.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
    }
    return new DemoMessage(parts[0], fields);
  }

  /**
   * The next message, or empty at the end.
   *
   * @param in buffered, as it is read byte by byte
   * @throws IOException if the other side sends a line without end, or the pipe breaks
   */
  static Optional<DemoMessage> read(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        // A line that was not finished is one that was not said.
        return Optional.empty();
      }
      if (line.size() == MAX_LINE_BYTES) {
        throw new IOException("a message is longer than " + MAX_LINE_BYTES + " bytes");
      }
      line.write(next);
    }
    return Optional.of(parse(line.toString(StandardCharsets.UTF_8)));
  }
}
