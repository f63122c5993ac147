package io.cantle.core.rebalance;

import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.scan.Projection;
import io.cantle.core.wire.TransferRequest;
import java.util.zip.CRC32C;

/**
 * What a joiner is sent of a segment: the entries of earlier epochs with their versions, committed
 * or not, and tombstones. Writes of the present epoch reach it by replication. After the entries
 * comes how far the primary has applied writes, the time of the segment, the next cursor, at the
 * end of the segment the results of commands, the length of the entries, and a checksum of all.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class TransferProjection implements Projection {
  static final int PLAIN = 0;
  static final int REMOVED = 1;
  static final int EXPIRING = 2;

  private final int epoch;

  /** Creates a projection for one request. */
  public TransferProjection(TransferRequest request) {
    this.epoch = request.segment().epoch();
  }

  @Override
  public boolean admits(ReplicaState state) {
    return state.isActivePrimary() && state.epoch() == epoch;
  }

  @Override
  public boolean takesUncommitted() {
    return true;
  }

  @Override
  public boolean includes(Replica replica, Entry entry) {
    // A joiner may never have had an entry that a tick of this epoch has ended.
    return entry.isTombstone() ? replica.keepsTombstones() : entry.epoch() < epoch;
  }

  @Override
  public boolean needsValues() {
    return true;
  }

  @Override
  public boolean needsValue(Replica replica, Entry entry) {
    return includes(replica, entry);
  }

  @Override
  public long expectedBytes(Entry entry) {
    return entry.bytes().length;
  }

  /** The checksum covers all entries, so they are in one block. */
  @Override
  public int blockBytes() {
    return Integer.MAX_VALUE;
  }

  @Override
  public int write(Entry entry, Output out) {
    entry.requireValue();
    out.writeVarint(entry.epoch());
    out.writeVarint(entry.index());
    out.writeLong(entry.markedStamp());
    ExpiryTime expiryTime = entry.expiryTime();
    out.writeByte(entry.isTombstone() ? REMOVED : expiryTime != null ? EXPIRING : PLAIN);
    if (expiryTime != null) {
      expiryTime.write(out);
    }
    out.writeVarint(entry.keyLength());
    out.writeBlob(entry.bytes());
    return 1;
  }

  @Override
  public boolean finish(Replica replica, SegmentCursor next, Output out, int begin) {
    long index = replica.progress().appliedAsPrimary(epoch);
    if (index < 0) {
      return false;
    }
    int entryBytes = out.position() - begin;
    out.writeVarint(index);
    out.writeVarint(replica.expiry().segmentMillis() + 1);
    next.write(out);
    if (next.equals(SegmentCursor.END)) {
      replica.transfer().writeSessions(out);
    }
    // The length tells where the entries end, as their number in the block does, and that number is
    // not in the checksum.
    out.writeInt(entryBytes);
    out.writeInt(checksum(out.array(), begin, out.position()));
    return true;
  }

  static int checksum(byte[] bytes, int begin, int end) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, begin, end - begin);
    return (int) checksum.getValue();
  }
}
