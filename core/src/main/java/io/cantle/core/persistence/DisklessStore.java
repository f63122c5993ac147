package io.cantle.core.persistence;

import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The store of a node that keeps nothing.
 *
 * <p><b>Threading:</b> any thread.
 */
record DisklessStore() implements NodeStore {
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
  public void dropReplicas(IntPredicate isDestroyed) {}

  @Override
  public void onFailure(Consumer<Throwable> task) {}

  @Override
  public boolean isDurable() {
    return false;
  }

  @Override
  public byte @Nullable [] find(String name) {
    return null;
  }

  @Override
  public void save(String name, byte[] bytes, Runnable onDurable) {
    onDurable.run();
  }

  @Override
  public void close() {}
}
