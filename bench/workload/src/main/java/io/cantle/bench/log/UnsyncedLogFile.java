package io.cantle.bench.log;

import java.io.IOException;
import java.util.List;

/**
 * A file that leaves it to the operating system when to write to the disk.
 *
 * <p><b>Threading:</b> guarded by its log.
 */
record UnsyncedLogFile(LogFile file) implements LogFile {

  @Override
  public void write(List<byte[]> records) throws IOException {
    file.write(records);
  }

  @Override
  public void sync() {
    // Not syncing is the whole difference.
  }

  @Override
  public long syncs() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
