package io.cantle.store.segment;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.IdleLog;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A store without threads: whenever somebody waits, the log writes. */
final class IdleStore implements StoreClock, AutoCloseable {
  static final long WAIT = Duration.ofSeconds(1).toNanos();

  private final SegmentStore store;
  private long nanos;
  private @Nullable IdleLog log;

  private IdleStore(Disk disk, StoreOptions options) throws IOException {
    store =
        SegmentStore.openIdle(
            disk,
            options,
            17,
            this,
            (from, visitor) -> {
              IdleLog idle = IdleLog.open(disk, options.log(), 17, this, from, visitor);
              log = idle;
              return idle.log();
            });
  }

  static IdleStore open(Disk disk, StoreOptions options) throws IOException {
    return new IdleStore(disk, options);
  }

  SegmentStore store() {
    return store;
  }

  IdleLog log() {
    return Objects.requireNonNull(log);
  }

  @Override
  public long nanoTime() {
    nanos += 1000;
    return nanos;
  }

  @Override
  public void parkNanos(Object blocker, long most) {
    IdleLog writing = log;
    if (writing == null || !writing.step()) {
      nanos += Math.max(0, Math.min(most, WAIT));
    }
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
