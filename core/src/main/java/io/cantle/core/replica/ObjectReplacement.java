package io.cantle.core.replica;

import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ValueHints;
import org.jspecify.annotations.Nullable;

/**
 * Replaces values of entries in place, in a cache that keeps objects. The entry as it was is gone
 * then, so it is possible only while nobody has to be told of the write.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class ObjectReplacement {
  private final ReplicaData data;
  private final Container entries;
  private final boolean isForbidden;

  /** Replaces values in a replica. */
  ObjectReplacement(ReplicaData data) {
    this.data = data;
    this.entries = data.entries();
    this.isForbidden = !entries.keepsObjects() || data.account() != null;
  }

  /** Whether nobody needs to be told: no observer, bound, or other side of a partition. */
  private boolean isPossible() {
    return !isForbidden && !data.isStamped() && !data.feed().isObserved();
  }

  /**
   * Replaces the value of an entry that is remembered: see {@link ValueHints#replaceObject}.
   *
   * @param valueBytes what the value takes in the heap, for which there must be room
   * @return the value before; null if nothing was done
   */
  @Nullable Object replace(
      Object key, Entry entry, Object value, int valueBytes, int epoch, long index) {
    if (!isPossible() || !data.heapCount().hasRoom(valueBytes)) {
      return null;
    }
    long bytes = entries.sizeBytes();
    Object before =
        data.hints().replaceObject(entries, key, entry, value, valueBytes, epoch, index);
    data.heapCount().onSizeChange(entries.sizeBytes() - bytes);
    return before;
  }

  /**
   * Replaces the value of a present entry by that of a new one, for which there is room, and
   * remembers it: a key that is written again is likely to be written once more.
   *
   * @return false if nothing was done
   */
  boolean replace(Entry present, Entry added) {
    if (!isPossible()) {
      return false;
    }
    ValueHints hints = data.hints();
    long bytes = entries.sizeBytes();
    hints.forget(present);
    if (!entries.replaceObject(present, added)) {
      return false;
    }
    data.heapCount().onSizeChange(entries.sizeBytes() - bytes);
    if (hints.mayRemember(present)) {
      hints.remember(present);
    }
    return true;
  }
}
