package io.cantle.core.store;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import io.cantle.store.segment.StoredEntry;
import java.util.Arrays;

/**
 * How an entry looks in the segmented store. A removed key is kept there as a version of its own,
 * for others may still have to be told of it; when it is purged, a removal of the store takes its
 * place. So each version has two numbers there, the second for its purge. The label of a copy is
 * the entry of the empty key, which no user's is.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class Kept {
  private static final int REMOVED = 1;
  private static final int STAMPED = 2;
  private static final int LASTING = 4;
  private static final byte[] NOTHING = {};

  private Kept() {}

  static StoredEntry entry(Entry entry) {
    entry.mustBeWhole();
    byte[] key = Arrays.copyOf(entry.bytes(), entry.keyLength());
    if (key.length == 0) {
      throw new IllegalArgumentException("an entry of an empty key cannot be kept");
    }
    byte[] value = Arrays.copyOfRange(entry.bytes(), entry.valueOffset(), entry.bytes().length);
    return new StoredEntry(
        entry.hash(), key, entry.epoch(), entry.index() * 2, 0, metadata(entry), value);
  }

  static StoredEntry purged(Entry removed) {
    byte[] key = Arrays.copyOf(removed.bytes(), removed.keyLength());
    return StoredEntry.of(removed.hash(), key, removed.epoch(), removed.index() * 2 + 1, NOTHING);
  }

  static StoredEntry label(Label label, int epoch, long index) {
    Output out = new Output(32);
    label.write(out);
    return StoredEntry.of(0, NOTHING, epoch, index, out.toByteArray());
  }

  static boolean isLabel(StoredEntry stored) {
    return stored.key().length == 0;
  }

  static Label label(StoredEntry stored) {
    return Label.read(new Input(stored.value()));
  }

  /** Most entries have none. */
  private static byte[] metadata(Entry entry) {
    Deadline deadline = entry.deadline();
    long stamp = entry.markedStamp();
    int flags =
        (entry.tombstone() ? REMOVED : 0)
            | (stamp != 0 ? STAMPED : 0)
            | (deadline != null ? LASTING : 0);
    if (flags == 0) {
      return NOTHING;
    }
    Output out = new Output(32);
    out.writeByte(flags);
    if (stamp != 0) {
      out.writeLong(stamp);
    }
    if (deadline != null) {
      deadline.write(out);
    }
    return out.toByteArray();
  }

  static Entry entry(StoredEntry stored) {
    Input in = new Input(stored.metadata());
    int flags = in.remaining() > 0 ? in.readByte() : 0;
    if ((flags & ~(REMOVED | STAMPED | LASTING)) != 0) {
      throw new MalformedException("an entry was kept in a form that is unknown here: " + flags);
    }
    long stamp = (flags & STAMPED) != 0 ? in.readLong() : 0;
    Deadline deadline = (flags & LASTING) != 0 ? Deadline.read(in) : null;
    byte[] key = stored.key();
    byte[] bytes = Arrays.copyOf(key, key.length + stored.value().length);
    System.arraycopy(stored.value(), 0, bytes, key.length, stored.value().length);
    return Entry.of(
        stored.hash(),
        bytes,
        key.length,
        (int) stored.epoch(),
        stored.index() / 2,
        (flags & REMOVED) != 0,
        stamp,
        deadline);
  }
}
