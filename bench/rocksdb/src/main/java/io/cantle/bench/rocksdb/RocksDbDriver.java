package io.cantle.bench.rocksdb;

import io.cantle.bench.log.LogDriver;
import io.cantle.bench.log.LogSetting;
import io.cantle.bench.log.LogUnderTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * The driver of RocksDB with its defaults, except for a memtable that no cell fills: the comparison
 * is about its log, not about how it sorts.
 *
 * <p><b>Threading:</b> as {@link LogDriver} says.
 */
public final class RocksDbDriver implements LogDriver {
  private static final long MEMTABLE_BYTES = 1L << 30;

  /** Found by {@link java.util.ServiceLoader}. */
  public RocksDbDriver() {
    RocksDB.loadLibrary();
  }

  @Override
  public String version() {
    return String.valueOf(RocksDB.rocksdbVersion());
  }

  @Override
  public LogUnderTest open(LogSetting setting) throws IOException {
    if (setting.syncDelayNanos() > 0) {
      throw new UnsupportedOperationException("RocksDB's syncs cannot be delayed");
    }
    Options options = new Options().setCreateIfMissing(true).setWriteBufferSize(MEMTABLE_BYTES);
    try {
      RocksDB database = RocksDB.open(options, setting.folder().toString());
      return new Log(database, options, new WriteOptions().setSync(setting.synced()));
    } catch (RocksDBException failure) {
      options.close();
      throw new IOException("RocksDB does not open", failure);
    }
  }

  private record Log(RocksDB database, Options options, WriteOptions put, AtomicLong keys)
      implements LogUnderTest {

    Log(RocksDB database, Options options, WriteOptions put) {
      this(database, options, put, new AtomicLong());
    }

    @Override
    public void append(byte[] record) throws IOException {
      byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(keys.getAndIncrement()).array();
      try {
        database.put(put, key, record);
      } catch (RocksDBException failure) {
        throw new IOException("RocksDB did not put", failure);
      }
    }

    @Override
    public void close() {
      database.close();
      put.close();
      options.close();
    }
  }
}
