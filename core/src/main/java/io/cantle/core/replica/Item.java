package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.segment.KeyHash;

/**
 * One write as its primary has ordered it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param entry the new value or the tombstone, with its version
 * @param command who wanted it
 * @param result what the command answers
 */
public record Item(Entry entry, Command command, Result result) {
  private static final int TOMBSTONE = 1;
  private static final int PREVIOUS = 2;
  private static final int WRITTEN = 4;
  private static final int STAMPED = 8;
  private static final int MAX_OTHERS = 10_000;

  /** The place of this write in its epoch. */
  public long index() {
    return entry.index();
  }

  /**
   * Writes everything but the epoch.
   *
   * @param previous the result is the value this write replaces: the reader, who has it, is spared
   *     it
   */
  public void write(Output out, boolean previous) {
    boolean isWritten = resultIsWritten();
    boolean spared = !isWritten && previous && result.hasValue();
    out.writeByte(
        (entry.tombstone() ? TOMBSTONE : 0)
            | (spared ? PREVIOUS : 0)
            | (isWritten ? WRITTEN : 0)
            | (entry.markedStamp() != 0 ? STAMPED : 0));
    out.writeVarint(entry.index());
    if (entry.markedStamp() != 0) {
      out.writeLong(entry.markedStamp());
    }
    command.write(out);
    if (!spared && !isWritten) {
      result.write(out);
    }
    out.writeBlob(entry.bytes(), 0, entry.keyLength());
    out.writeBlob(entry.bytes(), entry.valueOffset(), entry.valueLength());
  }

  /** Whether the result is the value written itself, as that of a function is: it travels once. */
  @SuppressWarnings("ReferenceEquality") // The same bytes elsewhere are not the value written.
  private boolean resultIsWritten() {
    return !entry.tombstone()
        && result.hasValue()
        && result.bytes() == entry.bytes()
        && result.offset() == entry.valueOffset();
  }

  /** How many bytes {@link #write} writes at most. */
  public int sizeBytes() {
    return entry.bytes().length + result.length() + 72;
  }

  /**
   * An item as it came over the network.
   *
   * @param item the write
   * @param resultIsPrevious the result is still to be looked up in the entry that is replaced
   * @param notice how its origin is told
   */
  public record Read(Item item, boolean resultIsPrevious, Notice notice) {}

  /**
   * How a writer tells the origin of a command that it holds the write.
   *
   * @param kind whether to tell, and whether with the result
   * @param place which of the others this writer is
   * @param expected how many others there are
   */
  public record Notice(Kind kind, int place, int expected) {
    /** The origin is told otherwise. */
    public static final Notice NONE = new Notice(Kind.NONE, 0, 0);

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
  public static Read read(Input in, int epoch, long hashSeed, Notice notice) {
    int flags = in.readByte();
    long index = in.readVarint();
    long stamp = (flags & STAMPED) != 0 ? in.readLong() : 0;
    Command command = Command.read(in);
    boolean previous = (flags & PREVIOUS) != 0;
    boolean isWritten = (flags & WRITTEN) != 0;
    // Many writes come in one message, and some of their results stay for long.
    Result told = previous || isWritten ? Result.ABSENT : Result.read(in).alone();
    int keyLength = in.readBlobLength();
    int keyAt = in.position();
    in.skip(keyLength);
    int valueLength = in.readBlobLength();
    byte[] bytes = new byte[keyLength + valueLength];
    System.arraycopy(in.array(), keyAt, bytes, 0, keyLength);
    System.arraycopy(in.array(), in.position(), bytes, keyLength, valueLength);
    in.skip(valueLength);
    long hash = KeyHash.hash(hashSeed, bytes, 0, keyLength);
    boolean tombstone = (flags & TOMBSTONE) != 0;
    Entry entry = Entry.of(hash, bytes, keyLength, epoch, index, tombstone, stamp);
    Result result = isWritten ? Result.valueOf(entry) : told;
    return new Read(new Item(entry, command, result), previous, notice);
  }
}
