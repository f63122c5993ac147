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
  /** The file grows, a sync is {@code fdatasync}. */
  GROWING("growing file, fdatasync"),
  /** The file is overwritten, a sync is {@code fdatasync}. */
  PREALLOCATED("preallocated file, fdatasync"),
  /** The file is overwritten past the page cache, and each write is a sync. */
  DIRECT("preallocated file, O_DIRECT + O_DSYNC");

  private final String text;

  WriteMode(String text) {
    this.text = text;
  }

  /** The best form that a file in this folder takes. */
  public static WriteMode of(Path folder) throws IOException {
    Path probe = Files.createTempDirectory(folder, "probe-");
    try (ChannelLogFile file = ChannelLogFile.preallocated(probe, true)) {
      return file.sink();
    } finally {
      Files.deleteIfExists(probe.resolve(ChannelLogFile.NAME));
      Files.delete(probe);
    }
  }

  /** For people. */
  public String text() {
    return text;
  }
}
