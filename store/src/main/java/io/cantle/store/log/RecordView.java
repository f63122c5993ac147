package io.cantle.store.log;

import io.cantle.store.FileDamage;
import io.cantle.store.disk.BufferChecksum;
import java.nio.ByteBuffer;

/**
 * A view of a record in the buffer it was read into. One view moves from record to record, so
 * looking at a record allocates nothing.
 *
 * <p><b>Threading:</b> one thread, during {@link RecordVisitor#visit}.
 */
public final class RecordView {
  private static final int HEADER_BYTES = LogRecord.HEADER_BYTES;

  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int offset;

  RecordView() {}

  RecordView moveTo(ByteBuffer newBuffer, int newPlace) {
    buffer = newBuffer;
    offset = newPlace;
    return this;
  }

  /**
   * Writes a record to a place of a buffer. The checksum is that of its key, metadata and value.
   */
  static void write(LogRecord record, int checksum, long lsn, ByteBuffer to, int place) {
    to.putInt(place + 4, checksum);
    to.putLong(place + 8, lsn);
    to.put(place + 16, record.type());
    to.put(place + 17, (byte) 0);
    to.putShort(place + 18, (short) record.cache());
    to.putShort(place + 20, (short) record.segment());
    to.putShort(place + 22, (short) record.metadata().length);
    to.putLong(place + 24, record.incarnation());
    to.putLong(place + 32, record.epoch());
    to.putLong(place + 40, record.index());
    to.putLong(place + 48, record.expiry());
    to.putInt(place + 56, record.key().length);
    to.putInt(place + 60, record.value().length);
    to.putInt(place, BufferChecksum.checksum(to, place + 4, HEADER_BYTES - 4));
    int _ =
        LogRecord.putBody(
            to, place + HEADER_BYTES, record.key(), record.metadata(), record.value());
  }

  /** Whether the header is whole and belongs to this LSN. */
  boolean isHeaderValid(long lsn) {
    return buffer.getLong(offset + 8) == lsn
        && buffer.getInt(offset) == BufferChecksum.checksum(buffer, offset + 4, HEADER_BYTES - 4)
        && keyLength() >= 0
        && valueLength() >= 0;
  }

  /** Whether key, metadata and value are whole; they must be in the buffer. */
  boolean isBodyValid() {
    return buffer.getInt(offset + 4)
        == BufferChecksum.checksum(buffer, offset + HEADER_BYTES, bodyLength());
  }

  private int bodyLength() {
    return keyLength() + metadataLength() + valueLength();
  }

  /** The LSN of the record. */
  public long lsn() {
    return buffer.getLong(offset + 8);
  }

  /** How many bytes it takes in the file, padding included. */
  public long paddedLength() {
    return LogRecord.padTo8((long) HEADER_BYTES + keyLength() + metadataLength() + valueLength());
  }

  /** The kind of record. */
  public byte type() {
    return buffer.get(offset + 16);
  }

  /** The number of the cache. */
  public int cache() {
    return Short.toUnsignedInt(buffer.getShort(offset + 18));
  }

  /** The segment. */
  public int segment() {
    return Short.toUnsignedInt(buffer.getShort(offset + 20));
  }

  /** The incarnation of the segment that it belongs to. */
  public long incarnation() {
    return buffer.getLong(offset + 24);
  }

  /** The first half of the version. */
  long epoch() {
    return buffer.getLong(offset + 32);
  }

  /** The second half of the version. */
  long index() {
    return buffer.getLong(offset + 40);
  }

  /** When the entry expires, 0 for never. */
  long expiry() {
    return buffer.getLong(offset + 48);
  }

  /** The length of the key. */
  int keyLength() {
    return buffer.getInt(offset + 56);
  }

  /** The length of the metadata. */
  int metadataLength() {
    return Short.toUnsignedInt(buffer.getShort(offset + 22));
  }

  /** The length of the value. */
  int valueLength() {
    return buffer.getInt(offset + 60);
  }

  /** A copy of the key. */
  public byte[] key() {
    return copyBytes(0, keyLength());
  }

  /** A copy of the metadata. */
  byte[] metadata() {
    return copyBytes(keyLength(), metadataLength());
  }

  /** A copy of the value. */
  public byte[] value() {
    return copyBytes(keyLength() + metadataLength(), valueLength());
  }

  /** The first eight bytes of the metadata, without a copy. */
  public long metadataPrefix() {
    return buffer.getLong(offset + HEADER_BYTES + keyLength());
  }

  /** Damage of the record, which is or should be at an LSN. */
  FileDamage damage(long place, String problem) {
    return FileDamage.of(Lsn.fileName(place), Lsn.offset(place), cache(), segment(), problem);
  }

  /** A copy of the whole record. */
  public LogRecord toRecord() {
    return new LogRecord(
        type(),
        cache(),
        segment(),
        incarnation(),
        epoch(),
        index(),
        expiry(),
        key(),
        metadata(),
        value());
  }

  private byte[] copyBytes(int from, int length) {
    byte[] bytes = new byte[length];
    buffer.get(offset + HEADER_BYTES + from, bytes);
    return bytes;
  }
}
