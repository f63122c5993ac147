package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.segment.KeyHash;

/**
 * How an entry of a scattered cache is sent with its version, from a holder to the primary or back.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class CopiedEntry {
  private static final int PLAIN = 0;
  private static final int REMOVED = 1;
  private static final int EXPIRING = 2;

  private CopiedEntry() {}

  /** Writes an entry, which may be a tombstone. */
  public static void write(Output out, Entry entry) {
    ExpiryTime expiryTime = entry.expiryTime();
    out.writeVarint(entry.epoch());
    out.writeVarint(entry.index());
    out.writeByte(entry.isTombstone() ? REMOVED : expiryTime != null ? EXPIRING : PLAIN);
    if (!entry.isTombstone() && expiryTime != null) {
      expiryTime.write(out);
    }
    out.writeVarint(entry.keyLength());
    out.writeBlob(entry.bytes());
  }

  /** Reads what {@link #write} wrote, in a grid whose keys are hashed with this seed. */
  public static Entry read(Input in, long hashSeed) {
    int epoch = in.readCount();
    long index = in.readVarint();
    int form = in.readByte();
    if (form > EXPIRING) {
      throw new MalformedException("form " + form + " of an entry is unknown");
    }
    ExpiryTime expiryTime = form == EXPIRING ? ExpiryTime.read(in) : null;
    int keyLength = in.readCount();
    byte[] bytes = in.readBlob();
    if (keyLength > bytes.length) {
      throw new MalformedException(
          "a key of " + keyLength + " bytes is longer than its entry of " + bytes.length);
    }
    long hash = KeyHash.hash(hashSeed, bytes, 0, keyLength);
    return Entry.of(hash, bytes, keyLength, epoch, index, form == REMOVED, 0, expiryTime);
  }
}
