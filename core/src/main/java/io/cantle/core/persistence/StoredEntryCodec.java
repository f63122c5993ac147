package io.cantle.core.persistence;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.store.segment.StoredEntry;
import java.util.Arrays;

/**
 * Converts entries to and from the form of the segmented store. A tombstone is stored as a version
 * of its own, because other nodes may still need it. When the tombstone is purged, a removal in the
 * store takes its place. Each version therefore has two index numbers in the store, the second for
 * its purge. The header of a replica is stored under the empty key, which no user's entry has.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class StoredEntryCodec {
  private static final int TOMBSTONE = 1;
  private static final int TIMESTAMPED = 2;
  private static final int EXPIRING = 4;
  private static final byte[] EMPTY = {};

  private StoredEntryCodec() {}

  static StoredEntry encodeEntry(Entry entry) {
    entry.requireValue();
    byte[] key = Arrays.copyOf(entry.bytes(), entry.keyLength());
    if (key.length == 0) {
      throw new IllegalArgumentException("an entry with an empty key cannot be stored");
    }
    byte[] value = Arrays.copyOfRange(entry.bytes(), entry.valueOffset(), entry.bytes().length);
    return new StoredEntry(
        entry.hash(), key, entry.epoch(), entry.index() * 2, 0, encodeMetadata(entry), value);
  }

  static StoredEntry encodePurge(Entry removed) {
    byte[] key = Arrays.copyOf(removed.bytes(), removed.keyLength());
    return StoredEntry.of(removed.hash(), key, removed.epoch(), removed.index() * 2 + 1, EMPTY);
  }

  static StoredEntry encodeHeader(ReplicaHeader header, int epoch, long index) {
    Output out = new Output(32);
    header.write(out);
    return StoredEntry.of(0, EMPTY, epoch, index, out.toByteArray());
  }

  static boolean isHeader(StoredEntry stored) {
    return stored.key().length == 0;
  }

  static ReplicaHeader decodeHeader(StoredEntry stored) {
    return ReplicaHeader.read(new Input(stored.value()));
  }

  /** Encodes what most entries lack; empty for those. */
  private static byte[] encodeMetadata(Entry entry) {
    ExpiryTime expiryTime = entry.expiryTime();
    long stamp = entry.markedStamp();
    int flags =
        (entry.isTombstone() ? TOMBSTONE : 0)
            | (stamp != 0 ? TIMESTAMPED : 0)
            | (expiryTime != null ? EXPIRING : 0);
    if (flags == 0) {
      return EMPTY;
    }
    Output out = new Output(32);
    out.writeByte(flags);
    if (stamp != 0) {
      out.writeLong(stamp);
    }
    if (expiryTime != null) {
      expiryTime.write(out);
    }
    return out.toByteArray();
  }

  static Entry decodeEntry(StoredEntry stored) {
    Input in = new Input(stored.metadata());
    int flags = in.remaining() > 0 ? in.readByte() : 0;
    if ((flags & ~(TOMBSTONE | TIMESTAMPED | EXPIRING)) != 0) {
      throw new MalformedException(
          "a stored entry has flags that this release does not know: " + flags);
    }
    long stamp = (flags & TIMESTAMPED) != 0 ? in.readLong() : 0;
    ExpiryTime expiryTime = (flags & EXPIRING) != 0 ? ExpiryTime.read(in) : null;
    byte[] key = stored.key();
    byte[] bytes = Arrays.copyOf(key, key.length + stored.value().length);
    System.arraycopy(stored.value(), 0, bytes, key.length, stored.value().length);
    return Entry.of(
        stored.hash(),
        bytes,
        key.length,
        (int) stored.epoch(),
        stored.index() / 2,
        (flags & TOMBSTONE) != 0,
        stamp,
        expiryTime);
  }
}
