package io.cantle.bench.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How bytes get to the disk.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum WriteMode {
  /** The file is overwritten, and a sync is {@code fdatasync}. */
  PREALLOCATED("preallocated file, fdatasync"),
  /** The file is overwritten with direct I/O, and each write is a sync. */
  DIRECT("preallocated file, O_DIRECT + O_DSYNC");

  private final String text;

  WriteMode(String text) {
    this.text = text;
  }

  /** Returns the best form that a file in this folder supports. */
  public static WriteMode of(Path folder) throws IOException {
    Path probe = Files.createTempDirectory(folder, "probe-");
    try (ChannelLogFile file = ChannelLogFile.preallocated(probe, true)) {
      return file.sink();
    } finally {
      Files.deleteIfExists(probe.resolve(ChannelLogFile.NAME));
      Files.delete(probe);
    }
  }

  /** Returns the description for people. */
  public String text() {
    return text;
  }
}
