package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.persistence.ReplicaHeader;
import io.cantle.core.persistence.ReplicaStore;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A disk for many values, none of which it keeps: it makes a value again, of zeros, when it is
 * read.
 */
final class PaddedValueStore implements NodeStore, ReplicaStore {
  private final Queue<Runnable> pending = new ArrayDeque<>();
  private final long maxMemoryBytes;

  PaddedValueStore(long maxMemoryBytes) {
    this.maxMemoryBytes = maxMemoryBytes;
  }

  boolean hasPending() {
    return !pending.isEmpty();
  }

  /** Runs the callbacks of what is on disk now. */
  void flushPending() {
    for (Runnable next; (next = pending.poll()) != null; ) {
      next.run();
    }
  }

  @Override
  public void read(
      List<Entry> evicted, Consumer<List<@Nullable Entry>> onRead, Runnable onAbandoned) {
    onRead.accept(evicted.stream().<@Nullable Entry>map(PaddedValueStore::withValue).toList());
  }

  private static Entry withValue(Entry evicted) {
    return Entry.of(
        evicted.hash(),
        Arrays.copyOf(evicted.bytes(), evicted.keyLength() + evicted.valueLength()),
        evicted.keyLength(),
        evicted.epoch(),
        evicted.index(),
        false,
        0,
        null);
  }

  @Override
  public void runOnceOnDisk(Runnable task) {
    pending.add(task);
  }

  @Override
  public long maxMemoryBytes() {
    return maxMemoryBytes;
  }

  @Override
  public ReplicaStore replicaStore(int cache, int segment) {
    return this;
  }

  @Override
  public boolean keepsEntries() {
    return true;
  }

  @Override
  public WriteAdmission writeAdmission() {
    return WriteAdmission.ALL;
  }

  @Override
  public long lagNanos() {
    return 0;
  }

  @Override
  public void put(Entry entry) {}

  @Override
  public void purge(Entry removed) {}

  @Override
  public void writeHeader(ReplicaHeader header, int epoch, long index) {}

  @Override
  public void drop() {}

  @Override
  public void fail(Throwable failure) {
    throw new AssertionError(failure);
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
  public byte @Nullable [] find(String name) {
    return null;
  }

  @Override
  public void save(String name, byte[] bytes, Runnable onDurable) {
    pending.add(onDurable);
  }

  @Override
  public void close() {}
}
