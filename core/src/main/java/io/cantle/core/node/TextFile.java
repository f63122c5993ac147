package io.cantle.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file with one line of text, written once: after a crash it is there whole, or not at all.
 *
 * <p><b>Threading:</b> one thread.
 *
 * @param folder the folder, which exists
 * @param name the name of the file
 */
record TextFile(Path folder, String name) {
  private static final String DRAFT = ".draft";

  /** The name of the file while it is written. */
  String draftName() {
    return name + DRAFT;
  }

  boolean exists() {
    return Files.exists(folder.resolve(name));
  }

  /** Reads the line. */
  String read() throws IOException {
    String text = Files.readString(folder.resolve(name));
    return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }

  /** Writes the line; it is on disk when this returns. */
  void write(String line) throws IOException {
    Path draft = folder.resolve(draftName());
    try (FileChannel channel =
        FileChannel.open(
            draft,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer text = UTF_8.encode(line + "\n");
      while (text.hasRemaining()) {
        channel.write(text);
      }
      channel.force(true);
    }
    Files.move(draft, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    syncNames(folder);
  }

  /** Has the names of the files of a folder on disk. */
  static void syncNames(Path folder) throws IOException {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }
}
