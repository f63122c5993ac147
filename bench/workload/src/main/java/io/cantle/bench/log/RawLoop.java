package io.cantle.bench.log;

import java.io.IOException;
import java.util.List;

/**
 * The raw loop of write and sync, which the logs are compared with. It is for one writer.
 *
 * <p><b>Threading:</b> any thread; guarded by this object.
 */
final class RawLoop implements LogUnderTest {
  private final LogFile file;
  private boolean closed;

  RawLoop(LogFile file) {
    this.file = file;
  }

  @Override
  public synchronized void append(byte[] record) throws IOException {
    if (closed) {
      throw new IOException("closed");
    }
    file.write(List.of(record));
    file.sync();
  }

  @Override
  public synchronized long syncs() {
    return file.syncs();
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    file.close();
  }
}
