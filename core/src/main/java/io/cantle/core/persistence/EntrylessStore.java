package io.cantle.core.persistence;

import io.cantle.core.base.StableStore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps records at most, and no entries.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param stableStore where records are kept, if anywhere
 */
record EntrylessStore(StableStore stableStore) implements NodeStore {
  @Override
  public boolean keepsEntries() {
    return false;
  }

  @Override
  public long maxMemoryBytes() {
    return Long.MAX_VALUE;
  }

  @Override
  public ReplicaStore replicaStore(int cache, int segment) {
    throw new IllegalStateException("a node without a store keeps no entries");
  }

  @Override
  public @Nullable LoadedReplica takeLoadedReplica(int cache, int segment) {
    return null;
  }

  @Override
  public void onFailure(Consumer<Throwable> task) {}

  @Override
  public long changes() {
    return stableStore.changes();
  }

  @Override
  public boolean isDurable() {
    return stableStore.isDurable();
  }

  @Override
  public byte @Nullable [] find(String name) {
    return stableStore.find(name);
  }

  @Override
  public void save(String name, byte[] bytes, Runnable onDurable) {
    stableStore.save(name, bytes, onDurable);
  }

  @Override
  public void close() {}
}
