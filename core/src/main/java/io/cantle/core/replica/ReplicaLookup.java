package io.cantle.core.replica;

import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.InPlaceEntry;
import io.cantle.core.container.ValueHints;
import org.jspecify.annotations.Nullable;

/**
 * Looks up keys of a replica without its lock. It has what a look-up needs of the replica in one
 * small object, because a cache has hundreds of replicas and each object of each is a cache miss.
 *
 * <p>One number says what may be read: it changes with the state of the replica, and is compared
 * before and after. It also says whether an entry may be dirty. That of a primary without other
 * writers never is, unless it waits for the disk.
 *
 * <p><b>Threading:</b> any thread looks up; {@link #onStateChange} is guarded by the lock of the
 * replica.
 */
public final class ReplicaLookup {
  private static final long UNREADABLE = 0;

  private final Container entries;
  private final CommitTracker commitTracker;
  private final boolean marksUses;
  private final ValueHints hints;

  /** Twice the epoch, plus 1 if every entry is clean; {@link #UNREADABLE} if none may be read. */
  private volatile long readable = UNREADABLE;

  ReplicaLookup(ReplicaData data, CommitTracker commitTracker) {
    this.entries = data.entries();
    this.commitTracker = commitTracker;
    this.marksUses = data.marksUses();
    this.hints = data.hints();
  }

  /** Follows the state of the replica; called whenever that has changed. */
  void onStateChange(ReplicaState state) {
    boolean isClean = state.role() == ReplicaRole.PRIMARY && commitTracker.isSoleWriter();
    long now = state.isReadable() ? 2L * state.epoch() + (isClean ? 1 : 0) : UNREADABLE;
    if (now != readable) {
      readable = now;
      hints.clear();
    }
  }

  /** Whether no entry is dirty, and none becomes it before the state of the replica changes. */
  public boolean isAlwaysClean() {
    return (readable & 1) != 0;
  }

  /** What is remembered of the cache. */
  public ValueHints hints() {
    return hints;
  }

  /** Whether uses of entries are marked, so that each look-up must find the entry. */
  public boolean marksUses() {
    return marksUses;
  }

  /** Looks a key up, and returns a {@linkplain Entry#snapshot snapshot} of its entry. */
  LocalRead findSnapshot(long hash, byte[] key, int offset, int length) {
    return find(hash, null, key, offset, length).withSnapshot();
  }

  /**
   * Looks up the value of a key, which is known by its object too. The version of the entry may
   * change.
   *
   * @param keyObject what the bytes encode, if nobody can change it; otherwise null
   */
  public LocalRead find(long hash, @Nullable Object keyObject, byte[] key, int offset, int length) {
    return find(hash, keyObject, key, offset, length, marksUses);
  }

  /** Looks a key up, of which the use is known. */
  LocalRead findAgain(long hash, byte[] key, int offset, int length) {
    return find(hash, null, key, offset, length, false);
  }

  private LocalRead find(
      long hash, @Nullable Object keyObject, byte[] key, int offset, int length, boolean marksUse) {
    long before = readable;
    int epoch = (int) (before >>> 1);
    if (before == UNREADABLE) {
      return LocalRead.refused(epoch);
    }
    Entry entry = entries.get(hash, keyObject, key, offset, length);
    if (marksUse && entry != null) {
      entries.markUsed(entry);
    }
    boolean clean = entry == null || (before & 1) != 0 || commitTracker.isClean(entry, epoch);
    if (before != readable) {
      return LocalRead.refused(epoch);
    }
    return new LocalRead(clean ? LocalRead.Status.CLEAN : LocalRead.Status.DIRTY, epoch, entry);
  }

  /**
   * Has a reader look at the entry of a key where it lies, if {@link #find} would return it as
   * clean, it has a value in memory and no expiry time, and its use need not be marked.
   *
   * @return what the reader returned; null if it was not asked
   */
  public <T> @Nullable T readClean(
      long hash, byte[] key, int offset, int length, Container.EntryReader<T> reader) {
    long before = readable;
    if (before == UNREADABLE || marksUses) {
      return null;
    }
    T found =
        entries.read(
            hash, key, offset, length, entry -> mayRead(entry, before) ? reader.read(entry) : null);
    return before == readable ? found : null;
  }

  private boolean mayRead(InPlaceEntry entry, long known) {
    return !entry.isTombstone()
        && !entry.isEvicted()
        && !entry.isExpiring()
        && ((known & 1) != 0 || commitTracker.isClean(entry, (int) (known >>> 1)));
  }
}
