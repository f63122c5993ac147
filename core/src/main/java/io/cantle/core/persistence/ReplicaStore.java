package io.cantle.core.persistence;

import io.cantle.core.container.Entry;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The store of one segment's replica. Calls take effect in their order. Nothing is certain to be
 * kept until a later action passed to {@link #runOnceOnDisk} has run.
 *
 * <p><b>Threading:</b> any thread, one at a time; no call waits.
 */
public interface ReplicaStore {
  /** Which writes are admitted now. */
  WriteAdmission writeAdmission();

  /** The kinds of writes that are admitted. */
  enum WriteAdmission {
    /** All writes. */
    ALL,
    /** None until writes in flight have reached the store. */
    DELAYED,
    /** Only removals: the disk is full, and removals may free space. */
    REMOVALS_ONLY,
    /** None: the disk is full. */
    NONE
  }

  /** How long the oldest write in flight has been pending, in nanoseconds; 0 if there is none. */
  long lagNanos();

  /** Stores a version of a key, which may be a tombstone, unless a later version is stored. */
  void put(Entry entry);

  /** Removes a tombstone that is no longer needed, because no older write of the key can arrive. */
  void purge(Entry removed);

  /**
   * Stores the header of the replica. It replaces a header written in an earlier epoch or at a
   * lower index.
   */
  void writeHeader(ReplicaHeader header, int epoch, long index);

  /** Discards the replica, because another one begins. */
  void drop();

  /**
   * Reads evicted entries including their values. The result has one element for each of them, in
   * order. An element is null if the disk now has another version of the key, or none.
   *
   * @param onRead must not wait; it may run before this call returns
   * @param onAbandoned runs instead if the store fails or is closed, possibly before this call
   *     returns; it must neither wait nor take locks
   */
  void read(List<Entry> evicted, Consumer<List<@Nullable Entry>> onRead, Runnable onAbandoned);

  /** Reports that the disk lacks data it was given, which means that the store has failed. */
  void fail(Throwable failure);

  /**
   * Runs an action once everything called before is on disk, but not before this call returns. The
   * action must not wait. It never runs if the store fails.
   */
  void runOnceOnDisk(Runnable task);
}
