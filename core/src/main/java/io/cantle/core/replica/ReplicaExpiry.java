package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import org.jspecify.annotations.Nullable;

/**
 * How the entries of a copy come to their end. An entry has ended when, and only when, a tick of
 * the primary's says so; before that anybody may find it due, and asks the primary.
 *
 * <p><b>Threading:</b> any thread; writes take the lock of the replica.
 */
public final class ReplicaExpiry {
  private final ReplicaData data;
  private final WriteIssuer writeIssuer;

  /** What is to be written next, as the primary. */
  interface WriteSource {
    /** The write with this version, or null if there is nothing to be written. */
    @Nullable OrderedWrite nextWrite(int epoch, long index);
  }

  /** Has the replica write something of itself. */
  interface WriteIssuer {
    /** What was written, null if nothing was or this is not the primary. */
    @Nullable PrimaryInitiatedWrite issue(WriteSource making);
  }

  ReplicaExpiry(ReplicaData data, WriteIssuer writeIssuer) {
    this.data = data;
    this.writeIssuer = writeIssuer;
  }

  /** Whether something has lived its time, as far as is known here. */
  public boolean isExpiryDue() {
    return data.isExpiryDue();
  }

  /** The time of the segment as it is known here, -1 if it has not begun. */
  public long segmentMillis() {
    return data.segmentClock().readMillis();
  }

  /**
   * Whether an entry may be answered from by whoever has not settled the segment: not one that
   * seems to be due, and not one whose reads are noted.
   */
  public boolean isCertainlyLive(Entry entry) {
    ExpiryTime expiryTime = entry.expiryTime();
    return expiryTime == null || (expiryTime.idleMillis() == 0 && !data.isExpiryDue(entry));
  }

  /** Ends what is due, as the primary; null if nothing is, or this is not it. */
  public @Nullable PrimaryInitiatedWrite writeTickIfDue() {
    return writeIssuer.issue(data::tickWriteIfDue);
  }

  /** Notes that an entry was read, as the primary; null if that need not be noted. */
  public @Nullable PrimaryInitiatedWrite writeTouch(Entry read) {
    return writeIssuer.issue((epoch, index) -> data.touchWrite(read, epoch, index));
  }

  /** Whether reads of an entry are noted. */
  public static boolean tracksReads(Entry entry) {
    ExpiryTime expiryTime = entry.expiryTime();
    return expiryTime != null && expiryTime.idleMillis() > 0;
  }
}
