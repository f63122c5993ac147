package io.cantle.core.persistence;

import io.cantle.core.base.StableStore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a node keeps what is to outlive its process.
 *
 * <p><b>Threading:</b> any thread; nothing waits but {@link #close}.
 */
public interface NodeStore extends StableStore, AutoCloseable {
  /** Of a node that keeps nothing. */
  NodeStore NONE = new EntrylessStore(StableStore.NONE);

  /** Of a node that keeps notes and no entries. */
  static NodeStore of(StableStore stableStore) {
    return new EntrylessStore(stableStore);
  }

  /** Whether entries are kept. */
  boolean keepsEntries();

  /** How many bytes of what is kept may be in memory as well, keys and values together. */
  long maxMemoryBytes();

  /** The place of a segment's copy, the same one each time. */
  ReplicaStore replicaStore(int cache, int segment);

  /**
   * What earlier lives of this node have left of a segment; null if nothing, or if it was taken
   * before.
   */
  @Nullable LoadedReplica takeLoadedReplica(int cache, int segment);

  /**
   * Has something run, with the reason, when the store has failed: it keeps nothing from then on.
   * Once, on any thread.
   */
  void onFailure(Consumer<Throwable> task);

  /** Ends; what was handed over before is kept. */
  @Override
  void close();
}
