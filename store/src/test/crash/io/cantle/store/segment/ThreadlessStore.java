package io.cantle.store.segment;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.ThreadlessLog;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A store without threads: whenever a caller waits, the log writes. */
final class ThreadlessStore implements StoreClock, AutoCloseable {
  static final long TIMEOUT_NANOS = Duration.ofSeconds(1).toNanos();

  private final SegmentStore store;
  private long nanos;
  private @Nullable ThreadlessLog log;

  private ThreadlessStore(Disk disk, StoreOptions options) throws IOException {
    store =
        SegmentStore.openIdle(
            disk,
            options,
            17,
            this,
            (from, visitor) -> {
              ThreadlessLog idle = ThreadlessLog.open(disk, options.log(), 17, this, from, visitor);
              log = idle;
              return idle.log();
            });
  }

  static ThreadlessStore open(Disk disk, StoreOptions options) throws IOException {
    return new ThreadlessStore(disk, options);
  }

  SegmentStore store() {
    return store;
  }

  ThreadlessLog log() {
    return Objects.requireNonNull(log);
  }

  @Override
  public long nanoTime() {
    nanos += 1000;
    return nanos;
  }

  @Override
  public void parkNanos(Object blocker, long most) {
    ThreadlessLog writing = log;
    if (writing == null || !writing.writeOnce()) {
      nanos += Math.max(0, Math.min(most, TIMEOUT_NANOS));
    }
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
