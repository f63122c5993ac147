package io.cantle.cli.demo;

import io.cantle.cli.console.UsageException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the flights of a file, plain or gzip, one row after the other. A row that is malformed, or
 * has the key of an earlier row, is reported, counted and left out. Of rows with the same key the
 * first one counts.
 *
 * <p><b>Threading:</b> one thread, the one that opened it.
 */
final class FlightFile implements AutoCloseable {
  private static final int MAX_LINE_BYTES = 1_000;
  private static final int GZIP_FIRST_BYTE = 0x1f;
  private static final int GZIP_SECOND_BYTE = 0x8b;

  private final Path path;
  private final InputStream in;
  private final Consumer<String> malformed;
  private final FlightRowParser parser = new FlightRowParser();
  private final Map<FlightKey, Integer> lines = new HashMap<>();

  private final byte[] buffer = new byte[1 << 16];
  private int bufferPosition;
  private int bufferEnd;
  private final byte[] line = new byte[MAX_LINE_BYTES];
  private int lineNumber;
  private int malformedCount;

  private FlightFile(Path path, InputStream in, Consumer<String> malformed) {
    this.path = path;
    this.in = in;
    this.malformed = malformed;
  }

  /**
   * Opens a file and reads its header.
   *
   * @param malformed receives a line about each row that is left out: file, line, column and reason
   * @throws UsageException if the file cannot be read or has other columns
   */
  static FlightFile open(Path path, Consumer<String> malformed) throws UsageException {
    FlightFile file;
    try {
      if (Files.isDirectory(path)) {
        throw new UsageException("cannot read " + path + ": it is a directory");
      }
      file = new FlightFile(path, decompress(Files.newInputStream(path)), malformed);
    } catch (IOException exception) {
      throw unreadableException(path, exception);
    }
    try {
      file.expectHeader();
      return file;
    } catch (UsageException exception) {
      file.close();
      throw exception;
    }
  }

  /**
   * Reads the next well-formed row; null at the end.
   *
   * @throws UsageException if the file cannot be read any further
   */
  @Nullable FlightRow next() throws UsageException {
    for (String text = nextLine(); text != null; text = nextLine()) {
      try {
        if (text.length() > MAX_LINE_BYTES) {
          throw new MalformedRowException(
              MAX_LINE_BYTES + 1, "longer than " + MAX_LINE_BYTES + " bytes");
        }
        FlightRow row = parser.parse(text, lineNumber);
        Integer earlier = lines.putIfAbsent(row.key(), lineNumber);
        if (earlier != null) {
          throw new MalformedRowException(
              1, "flight, origin and scheduled departure are those of line " + earlier);
        }
        return row;
      } catch (MalformedRowException exception) {
        malformedCount++;
        malformed.accept(
            path + ":" + lineNumber + ":" + exception.column() + ": " + exception.getMessage());
      }
    }
    return null;
  }

  /** The keys read so far, each with its line number. */
  Map<FlightKey, Integer> lines() {
    return Collections.unmodifiableMap(lines);
  }

  /** The number of the line read last. */
  int lineNumber() {
    return lineNumber;
  }

  /** How many rows were left out so far. */
  int malformedCount() {
    return malformedCount;
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException exception) {
      // Everything needed was read, so a failure to close the file changes nothing.
    }
  }

  private void expectHeader() throws UsageException {
    String header = nextLine();
    if (header == null) {
      throw new UsageException("cannot read " + path + ": it is empty");
    }
    if (!header.equals(FlightRowParser.HEADER)) {
      throw new UsageException(
          "cannot read " + path + ": its first line is not \"" + FlightRowParser.HEADER + "\"");
    }
  }

  /**
   * Reads a line without its line end; a line that is too long becomes one of one character more
   * than allowed; null at the end.
   */
  private @Nullable String nextLine() throws UsageException {
    int length = 0;
    boolean any = false;
    for (int next = nextByte(); next >= 0; next = nextByte()) {
      any = true;
      if (next == '\n') {
        break;
      }
      if (length < MAX_LINE_BYTES) {
        line[length] = (byte) next;
      }
      length++;
    }
    if (!any) {
      return null;
    }
    lineNumber++;
    if (length > MAX_LINE_BYTES) {
      return " ".repeat(MAX_LINE_BYTES + 1);
    }
    if (length > 0 && line[length - 1] == '\r') {
      length--;
    }
    // Each byte becomes one character, whatever the encoding, so that columns are bytes.
    return new String(line, 0, length, StandardCharsets.ISO_8859_1);
  }

  private int nextByte() throws UsageException {
    if (bufferPosition == bufferEnd) {
      try {
        bufferEnd = in.read(buffer);
      } catch (IOException exception) {
        throw unreadableException(path, exception);
      }
      bufferPosition = 0;
      if (bufferEnd <= 0) {
        bufferEnd = 0;
        return -1;
      }
    }
    return buffer[bufferPosition++] & 0xff;
  }

  private static InputStream decompress(InputStream raw) throws IOException {
    BufferedInputStream in = new BufferedInputStream(raw, 1 << 16);
    in.mark(2);
    boolean compressed = in.read() == GZIP_FIRST_BYTE && in.read() == GZIP_SECOND_BYTE;
    in.reset();
    return compressed ? new GZIPInputStream(in, 1 << 16) : in;
  }

  private static UsageException unreadableException(Path path, IOException exception) {
    String reason =
        switch (exception) {
          case NoSuchFileException _ -> "there is no such file";
          case AccessDeniedException _ -> "access is denied";
          default -> String.valueOf(exception.getMessage()).lines().findFirst().orElse("no reason");
        };
    return new UsageException("cannot read " + path + ": " + reason);
  }
}
