package io.cantle.core.replica;

import io.cantle.core.persistence.ReplicaStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * When the writes that a replica has applied count as held here: at once, or once they are on disk.
 *
 * <p><b>Threading:</b> any thread; a task that waits for the disk is handed to it with the monitor
 * of the replica held, behind all writes applied before.
 */
public final class DurabilityBarrier {
  private final Replica replica;

  /** Writes the replica to disk; null if it is not durable. */
  private final @Nullable ReplicaDurability durability;

  DurabilityBarrier(Replica replica, @Nullable ReplicaDurability durability) {
    this.replica = replica;
    this.durability = durability;
  }

  /** Whether the replica is kept on disk too. */
  public boolean isDurable() {
    return durability != null;
  }

  /** Whether a write counts as held, here and at the other writers, only once it is on disk. */
  public boolean isSynchronous() {
    return durability != null && durability.isSynchronous();
  }

  /** Whether so much waits for the disk that only necessary writes should be taken. */
  public boolean isFull() {
    return durability != null && durability.writeAdmission() != ReplicaStore.WriteAdmission.ALL;
  }

  /**
   * Whether a write that is applied now counts as held only later. That is so if writes must be on
   * disk first. It is also so for any durable cache while the disk is behind, since otherwise
   * callers would never notice.
   */
  public boolean isDelayed() {
    return isSynchronous() || isFull();
  }

  /**
   * Runs a task once every write this replica has applied is as durable here as its cache requires:
   * at once, unless it waits for the disk. If the disk fails, the task never runs.
   */
  public void runOnceHeld(Runnable task) {
    if (isDelayed()) {
      runOnceOnDisk(task);
    } else {
      task.run();
    }
  }

  /** Runs a task once this is so for all of these replicas. */
  public static void whenAllHeld(List<Replica> all, Runnable task) {
    List<Replica> waiting =
        all.stream().filter(one -> one.barrier().isDelayed()).distinct().toList();
    AtomicInteger remaining = new AtomicInteger(waiting.size() + 1);
    Runnable countDown =
        () -> {
          if (remaining.decrementAndGet() == 0) {
            task.run();
          }
        };
    waiting.forEach(one -> one.barrier().runOnceHeld(countDown));
    countDown.run();
  }

  /**
   * Runs a task once every write this replica has applied is on disk, even if writes do not wait
   * for the disk: at once, if the replica is not durable.
   */
  public void runOnceOnDisk(Runnable task) {
    if (durability == null) {
      task.run();
      return;
    }
    synchronized (replica) {
      durability.replicaStore().runOnceOnDisk(task);
    }
  }

  /** Lets the writes of an epoch up to an index, just applied, count as held once on disk. */
  void onApplied(int epoch, long applied) {
    if (durability != null && durability.isSynchronous()) {
      durability
          .replicaStore()
          .runOnceOnDisk(
              () -> {
                replica.recordOnDisk(epoch, applied);
                replica.performEffects();
              });
    }
  }
}
