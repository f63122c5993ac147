package io.cantle.core.replica;

import io.cantle.core.base.Version;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.CommittedChange.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One observer of a replica, and what it is still to be given. It begins with a scan of the
 * entries, a few at a time. A change of a key that the scan has passed is queued; any other is left
 * to the scan. So the observer needs no copy of the entries, and is given no change twice.
 *
 * <p>The queue is bounded. If the observer is too slow, the queue is dropped, and the scan begins
 * again after the last version that was given. The same happens if the observer throws, with the
 * next step of the replica.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica; the observer is called without it, by
 * one thread at a time.
 */
public final class ChangeSubscription {
  /** The most changes that wait for an observer. */
  static final int MAX_QUEUED_CHANGES = 1_024;

  /** How many entries are visited while the lock is held. */
  private static final int SCAN_ENTRIES = 128;

  private static final System.Logger LOG = System.getLogger(ChangeSubscription.class.getName());

  private final ChangeFeed feed;
  private final ChangeObserver observer;
  private final Executor threads;
  private final AtomicBoolean delivering = new AtomicBoolean();

  /** Whether the observer threw the last time; only the thread that delivers uses it. */
  private boolean hasFailed;

  private List<CommittedChange> queue = new ArrayList<>();
  private SegmentCursor cursor = SegmentCursor.START;
  private boolean resets;

  /**
   * The number of writes that were applied and not committed when the observer began. What they
   * replaced is not known, so the scan waits for them.
   */
  private int unrecordedWrites;

  /** The scan is for what is newer. */
  private Version since;

  /** The latest version that was given. */
  private Version latest;

  private volatile @Nullable Version position;

  /** Whether there may be something to deliver. */
  private volatile boolean hasWork = true;

  ChangeSubscription(
      ChangeFeed feed,
      ChangeObserver observer,
      Executor threads,
      Version since,
      int unrecordedWrites) {
    this.feed = feed;
    this.observer = observer;
    this.threads = threads;
    this.unrecordedWrites = unrecordedWrites;
    this.since = since;
    this.latest = since;
  }

  /**
   * The version from which another subscription would continue: the observer was given everything
   * up to it. Null while the observer is still given what was there before.
   */
  public @Nullable Version position() {
    return position;
  }

  boolean observes(Entry after) {
    return observer.observes(after);
  }

  /** Notes that there may be something to deliver. */
  void wake() {
    hasWork = true;
  }

  /** Notes that the earliest uncommitted write is committed; its changes follow. */
  void onWriteCommitted() {
    if (unrecordedWrites > 0) {
      unrecordedWrites--;
      wake();
    }
  }

  /** Queues a committed change, unless the scan will come to its key. */
  void add(CommittedChange change) {
    wake();
    if (!observer.observes(change.after()) || !hasPassed(change.after())) {
      return;
    }
    if (queue.size() < MAX_QUEUED_CHANGES) {
      queue.add(change);
    } else if (isScanning()) {
      reset();
    } else {
      restart(latest);
    }
  }

  private boolean isScanning() {
    return cursor.kind() != SegmentCursor.CursorKind.END;
  }

  private boolean hasPassed(Entry entry) {
    SegmentCursor place = isScanning() ? SegmentCursor.after(entry) : cursor;
    return SegmentCursor.earlier(place, cursor).equals(place);
  }

  private void restart(Version from) {
    queue.clear();
    position = null;
    cursor = SegmentCursor.START;
    since = from;
  }

  /** Begins with nothing again. */
  void reset() {
    restart(Version.NONE);
    latest = Version.NONE;
    resets = true;
    wake();
  }

  /**
   * Gives the observer what is due, unless another thread does. The thread of a step gives one
   * batch, and leaves what follows to another thread: a scan may take long.
   */
  void deliver(Object lock) {
    if (hasWork && delivering.compareAndSet(false, true) && giveNext(lock)) {
      threads.execute(
          () -> {
            boolean isMoreDue = true;
            while (isMoreDue) {
              isMoreDue = giveNext(lock);
            }
          });
    }
  }

  /**
   * Gives the observer a batch. Returns whether the calling thread still delivers, because more is
   * due. An observer that throws is given nothing more before the next step.
   */
  private boolean giveNext(Object lock) {
    hasWork = false;
    ChangeBatch next = nextBatch(lock);
    boolean isGiven = next == null || give(next, lock);
    if (isGiven && next != null && next.isFollowed) {
      return true;
    }
    delivering.set(false);
    return isGiven && hasWork && delivering.compareAndSet(false, true);
  }

  /** Gives the observer a batch; returns false if it throws, and is to be given the batch again. */
  private boolean give(ChangeBatch batch, Object lock) {
    try {
      if (batch.isReset) {
        observer.onReset();
      } else if (!batch.changes.isEmpty()) {
        observer.onCommitted(batch.changes);
      }
      hasFailed = false;
      return true;
    } catch (RuntimeException e) {
      if (!hasFailed) {
        LOG.log(
            System.Logger.Level.ERROR,
            "an observer of committed changes failed; until it succeeds, it begins again after the"
                + " last change it was given",
            e);
      }
      hasFailed = true;
      synchronized (lock) {
        takeBack(batch);
      }
      return false;
    }
  }

  private void takeBack(ChangeBatch batch) {
    Version before = batch.before;
    if (before == null) {
      reset();
    } else if (!resets) {
      restart(before);
      latest = before;
    }
    wake();
  }

  /**
   * What the observer is given at once.
   *
   * @param before the version up to which the observer was given everything before; null for none
   * @param isFollowed whether more of a scan is due behind it
   */
  private record ChangeBatch(
      boolean isReset,
      List<CommittedChange> changes,
      @Nullable Version before,
      boolean isFollowed) {}

  private @Nullable ChangeBatch nextBatch(Object lock) {
    synchronized (lock) {
      if (isScanning() && !feed.hasTombstonesSince(since) && !since.equals(Version.NONE)) {
        reset();
      }
      if (resets) {
        resets = false;
        return new ChangeBatch(true, List.of(), null, feed.isComplete());
      }
      if (!feed.isComplete() || unrecordedWrites > 0) {
        return null;
      }
      // A scan that has given something has not given everything up to a version.
      Version before = isScanning() && !latest.equals(since) ? null : latest;
      List<CommittedChange> changes = queue;
      if (!changes.isEmpty()) {
        queue = new ArrayList<>();
      } else if (isScanning()) {
        changes = scan();
      } else {
        return null;
      }
      for (CommittedChange change : changes) {
        latest = change.after().compareVersion(latest) > 0 ? change.version() : latest;
      }
      if (!isScanning()) {
        position = latest;
      }
      return new ChangeBatch(false, changes, before, isScanning());
    }
  }

  private List<CommittedChange> scan() {
    List<CommittedChange> changes = new ArrayList<>();
    int[] visited = new int[1];
    cursor =
        feed.entries()
            .scan(
                cursor,
                entry -> {
                  Entry committed = feed.committedVersion(entry);
                  if (committed != null
                      && committed.compareVersion(since) > 0
                      && observer.observes(committed)) {
                    changes.add(new CommittedChange(null, committed, Cause.RESTART));
                  }
                  return ++visited[0] == SCAN_ENTRIES
                      ? VisitResult.STOP_AFTER
                      : VisitResult.CONTINUE;
                });
    return changes;
  }
}
