package io.cantle.core.replica;

import io.cantle.core.base.Version;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommittedChange.Cause;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Feeds the committed changes of a replica to its observers. A change is recorded when it is
 * applied, together with the entry it replaces, and passed on when its write is committed. Nothing
 * is recorded while there is no observer.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica, except {@link #deliver}.
 */
final class ChangeFeed {
  private static final ChangeSubscription[] NONE = {};

  private final Container entries;

  /** The changes of uncommitted writes that an observer wants, in their order. */
  private final ArrayDeque<CommittedChange> uncommitted = new ArrayDeque<>();

  /** Whether the replica holds everything that is committed. */
  private boolean complete;

  /** No tombstone of a later version was ever purged here. */
  private int purgedEpoch;

  private long purgedIndex;
  private volatile ChangeSubscription[] subscriptions = NONE;

  ChangeFeed(Container entries) {
    this.entries = entries;
  }

  /** Adds an observer of what is newer than a version. */
  ChangeSubscription subscribe(
      ChangeObserver observer, Executor threads, Version since, int uncommittedWrites) {
    ChangeSubscription added =
        new ChangeSubscription(this, observer, threads, since, uncommittedWrites);
    ChangeSubscription[] all = Arrays.copyOf(subscriptions, subscriptions.length + 1);
    all[all.length - 1] = added;
    subscriptions = all;
    return added;
  }

  /** Removes an observer. */
  void unsubscribe(ChangeSubscription removed) {
    subscriptions =
        Arrays.stream(subscriptions)
            .filter(one -> one != removed)
            .toArray(ChangeSubscription[]::new);
    if (subscriptions.length == 0) {
      uncommitted.clear();
    }
  }

  /** Whether there are observers. */
  boolean isObserved() {
    return subscriptions.length > 0;
  }

  /** Records a change that was applied. */
  void onApplied(@Nullable Entry before, Entry after, Cause cause) {
    for (ChangeSubscription subscription : subscriptions) {
      if (subscription.observes(after)) {
        uncommitted.add(new CommittedChange(before, after.snapshot(), cause));
        return;
      }
    }
  }

  /** Passes on the changes of the earliest uncommitted write: it is committed. */
  void onCommitted(long index) {
    for (ChangeSubscription subscription : subscriptions) {
      subscription.onWriteCommitted();
    }
    for (CommittedChange change;
        (change = uncommitted.peekFirst()) != null && change.after().index() <= index; ) {
      uncommitted.removeFirst();
      for (ChangeSubscription subscription : subscriptions) {
        subscription.add(change);
      }
    }
  }

  /** Notes that the replica holds everything that is committed. */
  void onComplete() {
    complete = true;
    for (ChangeSubscription subscription : subscriptions) {
      subscription.wake();
    }
  }

  /** Notes that a tombstone is purged: an observer that began before it never learns of it. */
  void onPurged(int epoch, long index) {
    if (Version.compare(epoch, index, purgedEpoch, purgedIndex) > 0) {
      purgedEpoch = epoch;
      purgedIndex = index;
    }
  }

  /**
   * Resets all observers: the replica holds nothing any more. One that pauses and began in an
   * earlier epoch is reset when it continues.
   */
  void onDropped(int epoch) {
    complete = false;
    uncommitted.clear();
    purgedEpoch = epoch;
    purgedIndex = 0;
    for (ChangeSubscription subscription : subscriptions) {
      subscription.reset();
    }
  }

  /** Whether the replica holds everything that is committed. */
  boolean isComplete() {
    return complete;
  }

  /** Whether every tombstone of a version after this one is still there. */
  boolean hasTombstonesSince(Version since) {
    return Version.compare(purgedEpoch, purgedIndex, since.epoch(), since.index()) <= 0;
  }

  Container entries() {
    return entries;
  }

  /** The newest committed version of an entry's key; null for none. */
  @Nullable Entry committedVersion(Entry present) {
    CommittedChange first = uncommitted.peekFirst();
    if (first == null || present.compareVersion(first.after()) < 0) {
      return present;
    }
    for (CommittedChange change : uncommitted) {
      if (change.after().hasSameKey(present)) {
        return change.before();
      }
    }
    return present;
  }

  /**
   * Passes on what is due to each observer.
   *
   * @param lock the lock of the replica, which the caller does not hold
   */
  void deliver(Object lock) {
    for (ChangeSubscription subscription : subscriptions) {
      subscription.deliver(lock);
    }
  }
}
