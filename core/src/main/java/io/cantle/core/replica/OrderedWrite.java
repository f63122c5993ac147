package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.segment.KeyHash;
import org.jspecify.annotations.Nullable;

/**
 * One write with its place in the order of its primary: a caller's command, or a write that the
 * primary made itself.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface OrderedWrite {

  /** The epoch the write was made in. */
  int epoch();

  /** The place of the write in its epoch. */
  long index();

  /** Both together. */
  default Version version() {
    return new Version(epoch(), index());
  }

  /** The time of the segment when the write was made, -1 if the write does not carry it. */
  long segmentMillis();

  /**
   * Writes everything except the epoch.
   *
   * @param previous whether the result is the value this write replaces: it is left out then,
   *     because the reader has it
   */
  void write(Output out, boolean previous);

  /** The most bytes that {@link #write} writes. */
  int maxSizeBytes();

  /** A write of one version of a key: its entry carries epoch, index and time. */
  sealed interface EntryWrite extends OrderedWrite {

    /** The version. */
    Entry entry();

    @Override
    default int epoch() {
      return entry().epoch();
    }

    @Override
    default long index() {
      return entry().index();
    }

    @Override
    default int maxSizeBytes() {
      return entry().bytes().length + 64;
    }

    @Override
    default long segmentMillis() {
      ExpiryTime expiryTime = entry().expiryTime();
      return expiryTime == null ? SegmentClock.NOT_STARTED : expiryTime.lastTouchMillis();
    }
  }

  /**
   * The write of a caller's command.
   *
   * @param entry the new value or the tombstone, with its version
   * @param command the command
   * @param result the answer to the caller
   */
  record CommandWrite(Entry entry, CommandId command, OperationResult result)
      implements EntryWrite {
    @Override
    public void write(Output out, boolean previous) {
      boolean isWritten = isResultWritten();
      boolean omitsResult = !isWritten && previous && result.hasValue();
      OrderedWrite.writeHeader(
          out,
          entry,
          (omitsResult ? WireFlags.RESULT_IS_PREVIOUS : 0)
              | (isWritten ? WireFlags.RESULT_IS_WRITTEN : 0));
      command.write(out);
      if (!omitsResult && !isWritten) {
        result.write(out);
      }
      OrderedWrite.writeBytes(out, entry);
    }

    /**
     * Whether the result is the written value itself, as with functions: it is then sent once only.
     */
    @SuppressWarnings("ReferenceEquality") // The same bytes elsewhere are not the value written.
    private boolean isResultWritten() {
      return !entry.isTombstone()
          && result.hasValue()
          && result.bytes() == entry.bytes()
          && result.offset() == entry.valueOffset();
    }

    @Override
    public int maxSizeBytes() {
      return entry.bytes().length + result.length() + 102;
    }
  }

  /** The same value once more, as a record that it was read. */
  record TouchWrite(Entry entry) implements EntryWrite {
    @Override
    public void write(Output out, boolean previous) {
      OrderedWrite.writeHeader(out, entry, WireFlags.TOUCH);
      OrderedWrite.writeBytes(out, entry);
    }
  }

  /** The removal of an entry that is evicted to keep the bound of the cache. */
  record EvictionWrite(Entry entry) implements EntryWrite {
    @Override
    public void write(Output out, boolean previous) {
      // A touch writes a value, so with a tombstone the same flag says something else.
      OrderedWrite.writeHeader(out, entry, WireFlags.TOUCH);
      OrderedWrite.writeBytes(out, entry);
    }
  }

  /**
   * The version of a key that a replica still holds, without its command. Between two of these
   * there may have been other writes, which were replaced.
   */
  record RetainedVersion(Entry entry) implements EntryWrite {
    @Override
    public void write(Output out, boolean previous) {
      OrderedWrite.writeHeader(out, entry, WireFlags.RETAINED);
      OrderedWrite.writeBytes(out, entry);
    }
  }

  /** A tick: every entry that is due by its time has ended. */
  record ExpiryTick(int epoch, long index, long segmentMillis) implements OrderedWrite {
    @Override
    public void write(Output out, boolean previous) {
      out.writeByte(WireFlags.TICK);
      out.writeVarint(index);
      out.writeVarint(segmentMillis);
    }

    @Override
    public int maxSizeBytes() {
      return 24;
    }
  }

  /** The flags in the first byte. */
  final class WireFlags {
    static final int TOMBSTONE = 1;
    static final int RESULT_IS_PREVIOUS = 2;
    static final int RESULT_IS_WRITTEN = 4;
    static final int STAMPED = 8;
    static final int EXPIRING = 16;
    static final int TOUCH = 32;
    static final int TICK = 64;
    static final int RETAINED = 128;

    private WireFlags() {}
  }

  private static void writeHeader(Output out, Entry entry, int flags) {
    ExpiryTime expiryTime = entry.expiryTime();
    out.writeByte(
        flags
            | (entry.isTombstone() ? WireFlags.TOMBSTONE : 0)
            | (entry.markedStamp() != 0 ? WireFlags.STAMPED : 0)
            | (expiryTime != null ? WireFlags.EXPIRING : 0));
    out.writeVarint(entry.index());
    if (entry.markedStamp() != 0) {
      out.writeLong(entry.markedStamp());
    }
    if (expiryTime != null) {
      expiryTime.write(out);
    }
  }

  private static void writeBytes(Output out, Entry entry) {
    out.writeBlob(entry.bytes(), 0, entry.keyLength());
    out.writeBlob(entry.bytes(), entry.valueOffset(), entry.valueLength());
  }

  /**
   * How a writer tells the origin of a command that it holds the write.
   *
   * @param kind whether to tell the origin, and whether with the result
   * @param writerIndex the position of this writer among the other writers
   * @param otherWriterCount the number of other writers
   */
  record OriginNotice(NoticeKind kind, int writerIndex, int otherWriterCount) {
    /** This writer does not tell the origin. */
    public static final OriginNotice NONE = new OriginNotice(NoticeKind.NONE, 0, 0);

    private static final int MAX_OTHER_WRITERS = 10_000;

    /** Whether to tell the origin. */
    public enum NoticeKind {
      /** Not at all. */
      NONE,
      /** That this writer holds the write. */
      ACKNOWLEDGE,
      /** That this writer holds the write, together with the result. */
      ACKNOWLEDGE_WITH_RESULT
    }

    private static final NoticeKind[] KINDS = NoticeKind.values();

    /** Writes everything. */
    public void write(Output out) {
      out.writeEnum(kind);
      if (kind != NoticeKind.NONE) {
        out.writeVarint(writerIndex);
        out.writeVarint(otherWriterCount);
      }
    }

    /** Reads what {@link #write} wrote. */
    public static OriginNotice read(Input in) {
      NoticeKind kind = in.readEnum(KINDS);
      return kind == NoticeKind.NONE
          ? NONE
          : new OriginNotice(
              kind, in.readCount(MAX_OTHER_WRITERS), in.readCount(MAX_OTHER_WRITERS));
    }
  }

  /**
   * Reads what {@link #write} wrote; a result that was left out is {@link OperationResult#OMITTED}.
   */
  static OrderedWrite read(Input in, int epoch, long hashSeed) {
    int flags = in.readByte();
    long index = in.readVarint();
    if ((flags & WireFlags.TICK) != 0) {
      return new ExpiryTick(epoch, index, in.readVarint());
    }
    long stamp = (flags & WireFlags.STAMPED) != 0 ? in.readLong() : 0;
    ExpiryTime expiryTime = (flags & WireFlags.EXPIRING) != 0 ? ExpiryTime.read(in) : null;
    boolean isTouch = (flags & WireFlags.TOUCH) != 0;
    boolean tombstone = (flags & WireFlags.TOMBSTONE) != 0;
    if (isTouch || (flags & WireFlags.RETAINED) != 0) {
      Entry entry = readEntry(in, hashSeed, epoch, index, tombstone, stamp, expiryTime);
      return !isTouch
          ? new RetainedVersion(entry)
          : tombstone ? new EvictionWrite(entry) : new TouchWrite(entry);
    }
    CommandId command = CommandId.read(in);
    boolean previous = (flags & WireFlags.RESULT_IS_PREVIOUS) != 0;
    boolean isWritten = (flags & WireFlags.RESULT_IS_WRITTEN) != 0;
    // Many writes arrive in one message, and some of their results are kept for long.
    OperationResult sentResult =
        previous || isWritten ? OperationResult.OMITTED : OperationResult.read(in).withOwnArray();
    Entry entry = readEntry(in, hashSeed, epoch, index, tombstone, stamp, expiryTime);
    OperationResult result = isWritten ? OperationResult.valueOf(entry) : sentResult;
    return new CommandWrite(entry, command, result);
  }

  private static Entry readEntry(
      Input in,
      long hashSeed,
      int epoch,
      long index,
      boolean tombstone,
      long stamp,
      @Nullable ExpiryTime expiryTime) {
    int keyLength = in.readBlobLength();
    int keyAt = in.position();
    in.skip(keyLength);
    int valueLength = in.readBlobLength();
    byte[] bytes = new byte[keyLength + valueLength];
    System.arraycopy(in.array(), keyAt, bytes, 0, keyLength);
    System.arraycopy(in.array(), in.position(), bytes, keyLength, valueLength);
    in.skip(valueLength);
    long hash = KeyHash.hash(hashSeed, bytes, 0, keyLength);
    return Entry.of(hash, bytes, keyLength, epoch, index, tombstone, stamp, expiryTime);
  }
}
