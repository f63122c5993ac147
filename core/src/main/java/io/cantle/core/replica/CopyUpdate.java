package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.segment.KeyHash;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the primary of a scattered segment tells a holder besides writes: entries that it is to hold
 * from now on, and copies that nobody needs any more. The primary sends one update after the other.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param number the number of the update in the epoch, from 1
 * @param copies entries to hold
 * @param drops keys whose copies are to be dropped
 * @param metadata the results of commands and the time of the segment; null if not sent
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
public record CopyUpdate(
    long number, List<Entry> copies, List<CopyDrop> drops, byte @Nullable [] metadata) {

  /** A copy to drop, up to a version. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record CopyDrop(long hash, byte[] key, Version upTo) {
    void write(Output out) {
      out.writeBlob(key);
      upTo.write(out);
    }

    static CopyDrop read(Input in, long hashSeed) {
      byte[] key = in.readBlob();
      return new CopyDrop(KeyHash.hash(hashSeed, key, 0, key.length), key, Version.read(in));
    }
  }

  /** About how many bytes {@link #write} writes. */
  public int sizeBytes() {
    int bytes = 32 + (metadata == null ? 0 : metadata.length);
    for (Entry copy : copies) {
      bytes += copy.bytes().length + 16;
    }
    for (CopyDrop drop : drops) {
      bytes += drop.key.length + 16;
    }
    return bytes;
  }

  /** Writes everything. */
  public void write(Output out) {
    out.writeVarint(number);
    out.writeList(copies, entry -> CopiedEntry.write(out, entry));
    out.writeList(drops, drop -> drop.write(out));
    out.writeBlob(metadata == null ? new byte[0] : metadata);
  }

  /** Reads what {@link #write} wrote, in a grid whose keys are hashed with this seed. */
  public static CopyUpdate read(Input in, long hashSeed) {
    long number = in.readVarint();
    List<Entry> copies = in.readList(one -> CopiedEntry.read(one, hashSeed));
    List<CopyDrop> drops = in.readList(one -> CopyDrop.read(one, hashSeed));
    byte[] metadata = in.readBlob();
    return new CopyUpdate(number, copies, drops, metadata.length == 0 ? null : metadata);
  }
}
