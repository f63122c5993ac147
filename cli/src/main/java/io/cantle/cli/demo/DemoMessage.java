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
 * A message between the demo and a node: one line with a name, followed by {@code name=value}
 * fields, all separated by tabs.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param word the name of the message
 * @param fields the fields by name, in the order they were added
 */
record DemoMessage(String word, Map<String, String> fields) {

  // Messages from a node to the demo.
  static final String JOINED = "joined";
  static final String PROGRESS = "progress";
  static final String VICTIM = "victim";
  static final String DONE = "done";
  static final String FAILED = "failed";

  // Messages from the demo to a node. A node stops when its input ends.
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

  /** Adds a field. A value that is too long is cut off at the end. */
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

  /** The encoded line, without its line end. */
  String toLine() {
    StringBuilder line = new StringBuilder(word);
    fields.forEach((name, value) -> line.append('\t').append(name).append('=').append(value));
    return line.toString();
  }

  /** Reads the message of a line. */
  static DemoMessage parse(String line) {
    String[] parts = line.split("\t", -1);
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("\"" + line + "\" is not a message");
      }
      fields.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
    }
    return new DemoMessage(parts[0], fields);
  }

  /**
   * Reads the next message; empty at the end.
   *
   * @param in the input, which should be buffered because it is read byte by byte
   * @throws IOException if the other side sends a line that is too long, or the pipe breaks
   */
  static Optional<DemoMessage> read(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        // An unfinished line is no message.
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
