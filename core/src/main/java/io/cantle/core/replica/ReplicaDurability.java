package io.cantle.core.replica;

import io.cantle.Durability;
import io.cantle.core.container.Entry;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.persistence.ReplicaHeader;
import io.cantle.core.persistence.ReplicaStore;
import io.cantle.core.topology.GridDefinition;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a copy follows its replica to disk. It is handed every version in the order in which the
 * replica takes it, under the replica's lock, so what is on disk is always what the replica was at
 * some moment.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class ReplicaDurability {
  private final ReplicaStore replicaStore;
  private final Durability durability;
  private final Runnable onProgress;
  private final SecondChanceEviction eviction;
  private long residentBytes;
  private @Nullable UUID gridId;
  private int sinceEpoch;
  private int reachedEpoch;
  private boolean restored;

  /** In which epoch a copy was dropped that counted, if none has begun since; else 0. */
  private int droppedEpoch;

  /** Which labels count later: those of a later epoch, and in one those that come later. */
  private int headerEpoch;

  private long headerIndex;
  private ReplicaHeader.LastTick lastTick = ReplicaHeader.LastTick.NONE;

  /**
   * Keeps a copy in its place.
   *
   * @param durability when a write is held: with {@link Durability#SYNC} once it is on disk
   * @param onProgress run when more is committed because something is on disk
   * @param eviction told how much memory its entries take
   */
  ReplicaDurability(
      ReplicaStore replicaStore,
      Durability durability,
      Runnable onProgress,
      SecondChanceEviction eviction) {
    this.replicaStore = replicaStore;
    this.durability = durability;
    this.onProgress = onProgress;
    this.eviction = eviction;
  }

  /** Goes on with what an earlier life of this node has left. */
  void restore(LoadedReplica loaded) {
    gridId = loaded.header().gridId();
    sinceEpoch = loaded.header().sinceEpoch();
    reachedEpoch = Math.max(sinceEpoch, loaded.epoch());
    lastTick = loaded.header().lastTick();
    droppedEpoch = loaded.header().droppedEpoch();
    restored = droppedEpoch == 0;
    loaded.expiredEntries().forEach(replicaStore::put);
  }

  boolean isSynchronous() {
    return durability.kind() == Durability.Kind.SYNC;
  }

  Runnable progressCallback() {
    return onProgress;
  }

  /** Whether this is what an earlier life has left, and has taken part in nothing yet. */
  boolean isRestored() {
    return restored;
  }

  /** The latest epoch that tells of, if it is so. */
  int reachedEpoch() {
    return reachedEpoch;
  }

  /** Whether it belongs to another grid, where segments and epochs mean something else. */
  boolean isOfOtherGrid(GridDefinition currentGridId) {
    return restored && !isOf(currentGridId);
  }

  private boolean isOf(GridDefinition currentGridId) {
    UUID its = gridId;
    return its != null && currentGridId.continues(its);
  }

  /** Whether this node had a copy of a segment that began in that epoch, and has dropped it. */
  boolean hasDropped(GridDefinition currentGridId, int birthEpoch) {
    return droppedEpoch >= birthEpoch && isOf(currentGridId);
  }

  /** Whether so much is on its way to disk that nothing more should be written for now. */
  boolean isFull() {
    return writeAdmission() != ReplicaStore.WriteAdmission.ALL;
  }

  /** What may be written for now: nothing while the disk keeps a write longer than a period. */
  ReplicaStore.WriteAdmission writeAdmission() {
    ReplicaStore.WriteAdmission room = replicaStore.writeAdmission();
    boolean isLate =
        durability.kind() == Durability.Kind.PERIODIC
            && replicaStore.lagNanos() > durability.period().toNanos();
    return room == ReplicaStore.WriteAdmission.ALL && isLate
        ? ReplicaStore.WriteAdmission.DELAYED
        : room;
  }

  /**
   * The replica has entered an epoch.
   *
   * @param takesPart whether it takes part in writes from now on
   */
  void onEpochEntered(
      UUID currentGridId, int epoch, int newSinceEpoch, boolean takesPart, long segmentMillis) {
    boolean begins =
        newSinceEpoch != 0 && (newSinceEpoch != sinceEpoch || !currentGridId.equals(gridId));
    boolean drops = newSinceEpoch == 0 && droppedEpoch == epoch;
    headerEpoch = epoch;
    headerIndex = 0;
    gridId = currentGridId;
    sinceEpoch = newSinceEpoch;
    if (begins) {
      droppedEpoch = 0;
      writeHeader(currentGridId, segmentMillis);
    } else if (drops) {
      replicaStore.writeHeader(
          ReplicaHeader.ofDropped(currentGridId, droppedEpoch), headerEpoch, headerIndex++);
    }
    restored &= !takesPart;
  }

  private void writeHeader(UUID currentGridId, long segmentMillis) {
    replicaStore.writeHeader(
        new ReplicaHeader(currentGridId, sinceEpoch, segmentMillis, lastTick, 0),
        headerEpoch,
        headerIndex++);
  }

  void put(Entry entry) {
    replicaStore.put(entry);
  }

  void purge(Entry removed) {
    replicaStore.purge(removed);
  }

  /**
   * Everything that is due by then ends. It says so in one record, before any of the keys is
   * removed: on disk they all have ended, or none has.
   */
  void onTick(OrderedWrite.ExpiryTick item) {
    lastTick = new ReplicaHeader.LastTick(item.epoch(), item.index(), item.segmentMillis());
    UUID currentGridId = gridId;
    if (currentGridId != null) {
      writeHeader(currentGridId, item.segmentMillis());
    }
  }

  /**
   * What was kept is worthless in an epoch. Of a copy that counted until then a word stays, so that
   * nobody takes its place for that of a copy that never held anything.
   */
  void drop(GridDefinition currentGridId, int epoch, int birthEpoch) {
    boolean isOurs = isOf(currentGridId);
    if (isOurs && droppedEpoch != 0) {
      return;
    }
    replicaStore.drop();
    droppedEpoch = isOurs && sinceEpoch >= birthEpoch ? epoch : 0;
    sinceEpoch = 0;
    lastTick = ReplicaHeader.LastTick.NONE;
    restored = false;
  }

  void whenOnDisk(Runnable task) {
    replicaStore.whenOnDisk(task);
  }

  // ------------------------------------------------------------------ memory

  /** The entries take so much memory now. */
  void setResidentBytes(long now) {
    long change = now - residentBytes;
    if (change != 0) {
      residentBytes = now;
      eviction.onSizeChange(change);
    }
  }

  /** See {@link ReplicaStore#read}; by any thread. */
  void read(List<Entry> evicted, Consumer<List<@Nullable Entry>> onRead, Runnable onAbandoned) {
    replicaStore.read(evicted, onRead, onAbandoned);
  }

  /** The disk has not what it was given. */
  void fail(Throwable failure) {
    replicaStore.fail(failure);
  }
}
