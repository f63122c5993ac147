package io.cantle.bench.log;

import java.io.IOException;
import java.util.List;

/**
 * The simple log of the 2013 mail. Each append writes and syncs under one lock, so there is a sync
 * for each record with any number of writers. With one writer it is the raw loop of write and sync.
 *
 * <p><b>Threading:</b> any thread; guarded by this object.
 */
final class SimpleLog implements LogUnderTest {
  private final LogFile file;
  private boolean closed;

  SimpleLog(LogFile file) {
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
