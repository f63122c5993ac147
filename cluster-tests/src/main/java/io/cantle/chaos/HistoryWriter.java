package io.cantle.chaos;

import io.cantle.chaos.process.JsonLine;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes a history, one line per event. Each line is handed to the operating system before the next
 * step, so it survives the process, however that ends.
 *
 * <p><b>Threading:</b> guarded by this.
 */
final class HistoryWriter implements AutoCloseable {
  private final OutputStream out;

  HistoryWriter(Path file) throws IOException {
    out = new FileOutputStream(file.toFile(), true);
  }

  synchronized void writeLine(JsonLine line) {
    try {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    out.close();
  }
}
