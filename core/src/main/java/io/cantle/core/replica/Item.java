package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import io.cantle.core.segment.KeyHash;
import org.jspecify.annotations.Nullable;

/**
 * One write as its primary has ordered it: one that was commanded, or one of the primary's own.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface Item {

  /** The epoch it was made in. */
  int epoch();

  /** The place of this write in its epoch. */
  long index();

  /** The time of the segment when it was made, -1 if it does not say. */
  long segmentMillis();

  /**
   * Writes everything but the epoch.
   *
   * @param previous the result is the value this write replaces: the reader, who has it, is spared
   *     it
   */
  void write(Output out, boolean previous);

  /** How many bytes {@link #write} writes at most. */
  int sizeBytes();

  /** A version of one key: what it says of itself is its entry's. */
  sealed interface OfEntry extends Item {

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
    default int sizeBytes() {
      return entry().bytes().length + 64;
    }

    @Override
    default long segmentMillis() {
      Deadline deadline = entry().deadline();
      return deadline == null ? SegmentClock.NOT_BEGUN : deadline.touchedMillis();
    }
  }

  /**
   * What somebody has commanded.
   *
   * @param entry the new value or the tombstone, with its version
   * @param command who wanted it
   * @param result what the command answers
   */
  record Write(Entry entry, Command command, Result result) implements OfEntry {
    @Override
    public void write(Output out, boolean previous) {
      boolean isWritten = resultIsWritten();
      boolean spared = !isWritten && previous && result.hasValue();
      Item.writeHead(out, entry, (spared ? Flags.PREVIOUS : 0) | (isWritten ? Flags.WRITTEN : 0));
      command.write(out);
      if (!spared && !isWritten) {
        result.write(out);
      }
      Item.writeBytes(out, entry);
    }

    /** Whether the result is the value written itself, as that of a function is: it goes once. */
    @SuppressWarnings("ReferenceEquality") // The same bytes elsewhere are not the value written.
    private boolean resultIsWritten() {
      return !entry.tombstone()
          && result.hasValue()
          && result.bytes() == entry.bytes()
          && result.offset() == entry.valueOffset();
    }

    @Override
    public int sizeBytes() {
      return entry.bytes().length + result.length() + 102;
    }
  }

  /** The same value once more, of which it is noted that it was read. */
  record Touch(Entry entry) implements OfEntry {
    @Override
    public void write(Output out, boolean previous) {
      Item.writeHead(out, entry, Flags.TOUCH);
      Item.writeBytes(out, entry);
    }
  }

  /**
   * What is left of writes: the version of a key that a copy holds, whoever commanded it. Between
   * two of these there may have been others, which were replaced.
   */
  record Left(Entry entry) implements OfEntry {
    @Override
    public void write(Output out, boolean previous) {
      Item.writeHead(out, entry, Flags.LEFT);
      Item.writeBytes(out, entry);
    }
  }

  /** Everything that is due by then has ended. */
  record Tick(int epoch, long index, long segmentMillis) implements Item {
    @Override
    public void write(Output out, boolean previous) {
      out.writeByte(Flags.TICK);
      out.writeVarint(index);
      out.writeVarint(segmentMillis);
    }

    @Override
    public int sizeBytes() {
      return 24;
    }
  }

  /** What the first byte says. */
  final class Flags {
    static final int TOMBSTONE = 1;
    static final int PREVIOUS = 2;
    static final int WRITTEN = 4;
    static final int STAMPED = 8;
    static final int LASTING = 16;
    static final int TOUCH = 32;
    static final int TICK = 64;
    static final int LEFT = 128;

    private Flags() {}
  }

  private static void writeHead(Output out, Entry entry, int flags) {
    Deadline deadline = entry.deadline();
    out.writeByte(
        flags
            | (entry.tombstone() ? Flags.TOMBSTONE : 0)
            | (entry.markedStamp() != 0 ? Flags.STAMPED : 0)
            | (deadline != null ? Flags.LASTING : 0));
    out.writeVarint(entry.index());
    if (entry.markedStamp() != 0) {
      out.writeLong(entry.markedStamp());
    }
    if (deadline != null) {
      deadline.write(out);
    }
  }

  private static void writeBytes(Output out, Entry entry) {
    out.writeBlob(entry.bytes(), 0, entry.keyLength());
    out.writeBlob(entry.bytes(), entry.valueOffset(), entry.valueLength());
  }

  /**
   * An item as it came over the network.
   *
   * @param item the write
   * @param resultIsPrevious the result is still to be looked up in the entry that is replaced
   * @param notice how its origin is told
   */
  record Read(Item item, boolean resultIsPrevious, Notice notice) {}

  /**
   * How a writer tells the origin of a command that it holds the write.
   *
   * @param kind whether to tell, and whether with the result
   * @param place which of the others this writer is
   * @param expected how many others there are
   */
  record Notice(Kind kind, int place, int expected) {
    /** The origin is told otherwise. */
    public static final Notice NONE = new Notice(Kind.NONE, 0, 0);

    private static final int MAX_OTHERS = 10_000;

    /** Whether to tell. */
    public enum Kind {
      /** Not at all. */
      NONE,
      /** That the write is held. */
      HELD,
      /** That, and the result. */
      RESULT
    }

    private static final Kind[] KINDS = Kind.values();

    /** Writes everything. */
    @SuppressWarnings("EnumOrdinal") // The order is the wire format.
    public void write(Output out) {
      out.writeByte(kind.ordinal());
      if (kind != Kind.NONE) {
        out.writeVarint(place);
        out.writeVarint(expected);
      }
    }

    /** Reads what {@link #write} wrote. */
    public static Notice read(Input in) {
      Kind kind = KINDS[in.readCount(KINDS.length - 1)];
      return kind == Kind.NONE
          ? NONE
          : new Notice(kind, in.readCount(MAX_OTHERS), in.readCount(MAX_OTHERS));
    }
  }

  /** Reads what {@link #write} wrote. */
  static Read read(Input in, int epoch, long hashSeed, Notice notice) {
    int flags = in.readByte();
    long index = in.readVarint();
    if ((flags & Flags.TICK) != 0) {
      return new Read(new Tick(epoch, index, in.readVarint()), false, notice);
    }
    long stamp = (flags & Flags.STAMPED) != 0 ? in.readLong() : 0;
    Deadline deadline = (flags & Flags.LASTING) != 0 ? Deadline.read(in) : null;
    if ((flags & Flags.TOUCH) != 0) {
      Entry entry = readEntry(in, hashSeed, epoch, index, false, stamp, deadline);
      return new Read(new Touch(entry), false, notice);
    }
    if ((flags & Flags.LEFT) != 0) {
      boolean removed = (flags & Flags.TOMBSTONE) != 0;
      Entry entry = readEntry(in, hashSeed, epoch, index, removed, stamp, deadline);
      return new Read(new Left(entry), false, notice);
    }
    Command command = Command.read(in);
    boolean previous = (flags & Flags.PREVIOUS) != 0;
    boolean isWritten = (flags & Flags.WRITTEN) != 0;
    // Many writes come in one message, and some of their results stay for long.
    Result told = previous || isWritten ? Result.ABSENT : Result.read(in).alone();
    boolean tombstone = (flags & Flags.TOMBSTONE) != 0;
    Entry entry = readEntry(in, hashSeed, epoch, index, tombstone, stamp, deadline);
    Result result = isWritten ? Result.valueOf(entry) : told;
    return new Read(new Write(entry, command, result), previous, notice);
  }

  private static Entry readEntry(
      Input in,
      long hashSeed,
      int epoch,
      long index,
      boolean tombstone,
      long stamp,
      @Nullable Deadline deadline) {
    int keyLength = in.readBlobLength();
    int keyAt = in.position();
    in.skip(keyLength);
    int valueLength = in.readBlobLength();
    byte[] bytes = new byte[keyLength + valueLength];
    System.arraycopy(in.array(), keyAt, bytes, 0, keyLength);
    System.arraycopy(in.array(), in.position(), bytes, keyLength, valueLength);
    in.skip(valueLength);
    long hash = KeyHash.hash(hashSeed, bytes, 0, keyLength);
    return Entry.of(hash, bytes, keyLength, epoch, index, tombstone, stamp, deadline);
  }
}
