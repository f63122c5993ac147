package io.cantle.store.segment;

import io.cantle.store.log.LogRecord;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Encodes what the store keeps as records of the log. The log has no field for the hash of a key,
 * so the hash is the first eight bytes of the metadata.
 *
 * <p><b>Threading:</b> immutable.
 */
final class StoreRecordCodec {
  /** A version of a key. */
  static final byte PUT = 1;

  /** A version of a key that says that the key was removed. */
  static final byte REMOVE = 2;

  /** A segment begins a new incarnation. */
  static final byte DROP = 3;

  /** A note: a name and bytes for it. */
  static final byte NOTE = 4;

  /** A {@link Manifest}. */
  static final byte MANIFEST = 5;

  private static final byte[] EMPTY = {};

  private StoreRecordCodec() {}

  static LogRecord entryRecord(
      byte type, int cache, int segment, long incarnation, StoredEntry entry) {
    byte[] metadata = new byte[Long.BYTES + entry.metadata().length];
    ByteBuffer.wrap(metadata)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(entry.hash())
        .put(entry.metadata());
    return new LogRecord(
        type,
        cache,
        segment,
        incarnation,
        entry.epoch(),
        entry.index(),
        entry.expiry(),
        entry.key(),
        metadata,
        entry.value());
  }

  static LogRecord dropRecord(int cache, int segment, long incarnation) {
    return new LogRecord(DROP, cache, segment, incarnation, 0, 0, 0, EMPTY, EMPTY, EMPTY);
  }

  static boolean isEntry(byte type) {
    return type == PUT || type == REMOVE;
  }

  /** Whether a record is that of an entry; in a log without a store it may be anything. */
  static boolean isEntry(LogRecord record) {
    return isEntry(record.type()) && record.metadata().length >= Long.BYTES;
  }

  /** Decodes the record of an entry, which has this LSN. */
  static StoredRecord toStored(long lsn, LogRecord record) {
    byte[] metadata = record.metadata();
    return new StoredRecord(
        record.cache(),
        record.segment(),
        record.incarnation(),
        RecordLocation.inLog(lsn, record.type() == REMOVE),
        record.paddedLength(),
        new StoredEntry(
            ByteBuffer.wrap(metadata).order(ByteOrder.LITTLE_ENDIAN).getLong(),
            record.key(),
            record.epoch(),
            record.index(),
            record.expiry(),
            Arrays.copyOfRange(metadata, Long.BYTES, metadata.length),
            record.value()));
  }
}
