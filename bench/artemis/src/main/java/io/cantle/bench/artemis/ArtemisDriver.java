package io.cantle.bench.artemis;

import io.cantle.bench.log.LogDriver;
import io.cantle.bench.log.LogSetting;
import io.cantle.bench.log.LogUnderTest;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.activemq.artemis.ArtemisConstants;
import org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.jspecify.annotations.Nullable;

/**
 * The driver of the Artemis journal, set up on NIO as a broker without a configuration does it: a
 * sync every 3.33 ms, and at first two files of 10 MiB, filled with zeros, with more as needed.
 *
 * <p><b>Threading:</b> as {@link LogDriver} says.
 */
public final class ArtemisDriver implements LogDriver {
  private static final int FILE_BYTES = 10 << 20;
  private static final int MIN_FILES = 2;
  private static final int ANY_POOL_SIZE = -1;
  private static final int COMPACT_MIN_FILES = 10;
  private static final int COMPACT_PERCENTAGE = 30;
  private static final int MAX_IO = 1;

  /** Found by {@link java.util.ServiceLoader}. */
  public ArtemisDriver() {}

  @Override
  public String version() {
    String jar = JournalImpl.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    return jar.replaceFirst(".*/artemis-journal-(.*)\\.jar", "$1");
  }

  @Override
  public LogUnderTest open(LogSetting setting) throws IOException {
    if (setting.syncDelayNanos() > 0) {
      throw new UnsupportedOperationException("the syncs of Artemis cannot be delayed");
    }
    var failure = new AtomicReference<@Nullable Throwable>();
    var files =
        new NIOSequentialFileFactory(
            setting.folder().toFile(),
            true,
            ArtemisConstants.DEFAULT_JOURNAL_BUFFER_SIZE_NIO,
            ArtemisConstants.DEFAULT_JOURNAL_BUFFER_TIMEOUT_NIO,
            MAX_IO,
            false,
            (thrown, message, file) -> failure.compareAndSet(null, thrown),
            null);
    files.setDatasync(true);
    var journal =
        new JournalImpl(
            FILE_BYTES,
            MIN_FILES,
            ANY_POOL_SIZE,
            COMPACT_MIN_FILES,
            COMPACT_PERCENTAGE,
            files,
            "activemq-data",
            "amq",
            MAX_IO);
    try {
      journal.start();
      journal.loadInternalOnly();
    } catch (Exception thrown) {
      throw new IOException("the journal does not open", thrown);
    }
    return new Log(journal, setting.synced(), failure, new AtomicLong());
  }

  private record Log(
      JournalImpl journal,
      boolean synced,
      AtomicReference<@Nullable Throwable> failure,
      AtomicLong ids)
      implements LogUnderTest {
    private static final byte RECORD_TYPE = 1;

    @Override
    public void append(byte[] record) throws IOException {
      try {
        journal.appendAddRecord(ids.incrementAndGet(), RECORD_TYPE, record, synced);
      } catch (Exception thrown) {
        throw new IOException("the journal did not append", thrown);
      }
      // The journal answers such an append as if it were durable, and reports the failure to the
      // listener.
      Throwable broken = failure.get();
      if (broken != null) {
        throw new IOException("the journal could not write", broken);
      }
    }

    @Override
    public void close() throws IOException {
      try {
        journal.stop();
      } catch (Exception thrown) {
        throw new IOException("the journal does not close", thrown);
      }
    }
  }
}
