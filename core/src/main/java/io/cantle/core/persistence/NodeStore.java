package io.cantle.core.persistence;

import io.cantle.core.base.StableStore;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The port to what outlives a node's process: replicas of segments, and records.
 *
 * <p><b>Threading:</b> any thread; only {@link #close} waits.
 */
public interface NodeStore extends StableStore, AutoCloseable {
  /** The store of a node that has no disk. Its restart is a new node, so nothing need be kept. */
  NodeStore NONE = new DisklessStore();

  /** Whether entries are kept. */
  boolean keepsEntries();

  /** How many bytes of the stored entries, keys and values together, may also be in memory. */
  long maxMemoryBytes();

  /** Returns the store of a segment's replica, the same one each time. */
  ReplicaStore replicaStore(int cache, int segment);

  /**
   * Returns the replica that earlier incarnations of this node left of a segment. Null if there is
   * none, or if it was taken before.
   */
  @Nullable LoadedReplica takeLoadedReplica(int cache, int segment);

  /**
   * Discards all replicas of caches that were destroyed, also those that nobody took. No call of
   * their {@link ReplicaStore}s follows.
   *
   * @param isDestroyed whether the cache with this index was destroyed
   */
  void dropReplicas(IntPredicate isDestroyed);

  /**
   * Sets an action to run with the cause when the store has failed. The store keeps nothing from
   * then on. The action runs once, on any thread.
   */
  void onFailure(Consumer<Throwable> task);

  /** Closes the store; everything passed to it before is kept. */
  @Override
  void close();
}
