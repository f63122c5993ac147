package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import java.io.IOException;

/** A log without threads: its owner drives the writer and prepares the files. */
public final class ThreadlessLog {
  private final AppendLog log;

  private ThreadlessLog(AppendLog log) {
    this.log = log;
  }

  /** Opens the log. */
  public static ThreadlessLog open(
      Disk disk,
      LogOptions options,
      long identity,
      StoreClock clock,
      long from,
      RecordVisitor visitor)
      throws IOException {
    return new ThreadlessLog(AppendLog.openIdle(disk, options, identity, clock, from, visitor));
  }

  /** The log. */
  public AppendLog log() {
    return log;
  }

  /** Writes one batch; returns whether there will be another. */
  public boolean writeOnce() {
    return log.writer().step();
  }

  /** Prepares the next file. */
  public void prepare() {
    log.logFiles().prepareIfMissing();
  }
}
