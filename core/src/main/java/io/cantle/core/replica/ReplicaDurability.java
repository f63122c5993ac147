package io.cantle.core.replica;

import io.cantle.Durability;
import io.cantle.core.container.AppliedObserver;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.persistence.LoadedReplica;
import io.cantle.core.persistence.ReplicaHeader;
import io.cantle.core.persistence.ReplicaStore;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes a replica to disk. The replica hands over every version in the order in which it applies
 * them, under its lock, so what is on disk is always a state that the replica once had.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class ReplicaDurability implements AppliedObserver {
  private final ReplicaStore replicaStore;
  private final Durability durability;
  private @Nullable UUID gridId;
  private int sinceEpoch;
  private int reachedEpoch;
  private boolean restored;

  /**
   * The epoch in which a valid stored replica was dropped, if none has begun since; otherwise 0.
   */
  private int droppedEpoch;

  /**
   * The order of headers: a header with a later epoch replaces an earlier one, and within an epoch
   * one with a higher index.
   */
  private int headerEpoch;

  private long headerIndex;
  private ReplicaHeader.LastTick lastTick = ReplicaHeader.LastTick.NONE;

  /**
   * Writes to the store of one replica.
   *
   * @param durability when a write counts as held: with {@link Durability#SYNC} once it is on disk
   */
  ReplicaDurability(ReplicaStore replicaStore, Durability durability) {
    this.replicaStore = replicaStore;
    this.durability = durability;
  }

  /** Starts from what an earlier incarnation of this node left. */
  void restore(LoadedReplica loaded) {
    gridId = loaded.header().gridId();
    sinceEpoch = loaded.header().sinceEpoch();
    reachedEpoch = Math.max(sinceEpoch, loaded.lastVersion().epoch());
    lastTick = loaded.header().lastTick();
    droppedEpoch = loaded.header().droppedEpoch();
    restored = droppedEpoch == 0;
    loaded.expiredEntries().forEach(replicaStore::put);
  }

  boolean isSynchronous() {
    return durability.kind() == Durability.Kind.SYNC;
  }

  /** Whether this is what an earlier incarnation left, and has not taken part in any epoch yet. */
  boolean isRestored() {
    return restored;
  }

  /** The latest epoch that the stored replica mentions, if it was restored. */
  int reachedEpoch() {
    return reachedEpoch;
  }

  /**
   * Whether the stored replica belongs to another grid, where segments and epochs mean something
   * else.
   */
  boolean isOfOtherGrid(GridDefinition currentGridId) {
    return restored && !isOf(currentGridId);
  }

  private boolean isOf(GridDefinition currentGridId) {
    UUID storedGridId = gridId;
    return storedGridId != null && currentGridId.continues(storedGridId);
  }

  /**
   * Whether this node has dropped a replica of this segment since the segment began in that epoch.
   */
  boolean hasDropped(GridDefinition currentGridId, int birthEpoch) {
    return droppedEpoch >= birthEpoch && isOf(currentGridId);
  }

  /** What may be written for now: nothing while the disk is behind by more than one period. */
  ReplicaStore.WriteAdmission writeAdmission() {
    ReplicaStore.WriteAdmission admission = replicaStore.writeAdmission();
    boolean isLate =
        durability.kind() == Durability.Kind.PERIODIC
            && replicaStore.lagNanos() > durability.period().toNanos();
    return admission == ReplicaStore.WriteAdmission.ALL && isLate
        ? ReplicaStore.WriteAdmission.DELAYED
        : admission;
  }

  /**
   * Records that the replica has entered an epoch.
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

  @Override
  public void onApplied(@Nullable Entry before, @Nullable Entry after) {
    if (after != null && (before == null || before.compareVersion(after) != 0)) {
      replicaStore.put(after);
    } else if (before != null && after == null) {
      replicaStore.purge(before);
    }
  }

  /**
   * Records a tick, which ends everything that is due by its time. It is one record, written before
   * any of the keys is removed: on disk either all of them have ended, or none.
   */
  void onTick(OrderedWrite.ExpiryTick item) {
    lastTick = new ReplicaHeader.LastTick(item.version(), item.segmentMillis());
    UUID currentGridId = gridId;
    if (currentGridId != null) {
      writeHeader(currentGridId, item.segmentMillis());
    }
  }

  /**
   * Drops what is stored, because it is worthless in an epoch. If the stored replica was valid
   * until then, a header stays that says so. It keeps this replica from being taken for one that
   * never held anything.
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

  /** The store that the replica is written to. */
  ReplicaStore replicaStore() {
    return replicaStore;
  }

  /** The last tick that was applied. */
  ReplicaHeader.LastTick lastTick() {
    return lastTick;
  }
}
