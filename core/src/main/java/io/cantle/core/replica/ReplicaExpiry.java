package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import org.jspecify.annotations.Nullable;

/**
 * Ends the entries of a replica that expire. An entry has ended when, and only when, a tick of the
 * primary says so. Before that, any node may find it due and asks the primary.
 *
 * <p><b>Threading:</b> any thread; writes take the lock of the replica.
 */
public final class ReplicaExpiry {
  private final Replica replica;
  private final ReplicaData data;
  private volatile Runnable deadlineListener = () -> {};

  ReplicaExpiry(Replica replica, ReplicaData data, EffectQueue<ReplicaEffect> effects) {
    this.replica = replica;
    this.data = data;
    data.onDeadline(() -> effects.add(new ReplicaEffect.TellDeadline(this)));
  }

  /**
   * Has a listener told, by the effects of a step, that an entry was put which expires. It is told
   * at once if there is one already.
   *
   * @param listener must not wait
   */
  public void setDeadlineListener(Runnable listener) {
    deadlineListener = listener;
    if (hasDeadline()) {
      listener.run();
    }
  }

  void tellDeadline() {
    deadlineListener.run();
  }

  /** Whether some entry expires. */
  public boolean hasDeadline() {
    return data.hasExpiringEntries();
  }

  /** Whether some entry may have expired; only the primary can tell. */
  public boolean mayBeDue() {
    // The clock is read only if some entry expires.
    long earliest = data.entries().earliestExpiryMillis();
    return earliest != ExpiryTime.NEVER && earliest <= data.segmentClock().maxMillis();
  }

  /** The time of the segment as it is known here, -1 if it has not started. */
  public long segmentMillis() {
    return data.segmentClock().readMillis();
  }

  /**
   * Whether an entry may be returned without asking the primary to end what is due. An entry that
   * may be due may not, nor one whose reads are recorded.
   */
  public boolean isCertainlyLive(Entry entry) {
    ExpiryTime expiryTime = entry.expiryTime();
    return expiryTime == null
        || (expiryTime.idleMillis() == 0
            && entry.expiresAtMillis() > data.segmentClock().maxMillis());
  }

  /** Ends what is due, as the primary; null if nothing is, or this is not the primary. */
  public @Nullable PrimaryInitiatedWrite writeTickIfDue() {
    return replica.issueWrite(data::tickWriteIfDue);
  }

  /** Records, as the primary, that an entry was read; null if no record is needed. */
  public @Nullable PrimaryInitiatedWrite writeTouch(Entry read) {
    return replica.issueWrite(next -> data.touchWrite(read, next));
  }

  /** Whether reads of an entry are recorded. */
  public static boolean tracksReads(Entry entry) {
    ExpiryTime expiryTime = entry.expiryTime();
    return expiryTime != null && expiryTime.idleMillis() > 0;
  }
}
