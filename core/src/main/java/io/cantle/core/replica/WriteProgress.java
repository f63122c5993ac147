package io.cantle.core.replica;

import io.cantle.core.replica.ReplicationBatch.SegmentWrite;
import io.cantle.core.transport.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far the writers of the present epoch have come, as a replica knows it.
 *
 * <p><b>Threading:</b> any thread; guarded by the monitor of the replica.
 */
public final class WriteProgress {
  private final Replica replica;
  private final ReplicaLog log;
  private final CommitTracker commitTracker;

  WriteProgress(Replica replica, ReplicaLog log, CommitTracker commitTracker) {
    this.replica = replica;
    this.log = log;
    this.commitTracker = commitTracker;
  }

  /**
   * How far this replica has come in an epoch, in any writing role, as far as it may acknowledge;
   * -1 if the epoch is over or not served.
   */
  long appliedAsWriter(int epoch) {
    synchronized (replica) {
      long applied = replica.state().epoch() == epoch ? log.appliedInEpoch(epoch) : -1;
      return replica.barrier().isSynchronous()
          ? Math.min(applied, commitTracker.onDiskIndex())
          : applied;
    }
  }

  /** How far the active primary has come in an epoch; -1 if this is not the active primary. */
  public long appliedAsPrimary(int epoch) {
    synchronized (replica) {
      return isPrimary(epoch) ? log.applied() : -1;
    }
  }

  /** The commit index, at the active primary; -1 if this is not the active primary. */
  long committedAsPrimary(int epoch) {
    synchronized (replica) {
      return isPrimary(epoch) ? commitTracker.index() : -1;
    }
  }

  private boolean isPrimary(int epoch) {
    ReplicaState state = replica.state();
    return state.epoch() == epoch && state.isActivePrimary();
  }

  /**
   * Finds the writers that have not acknowledged writes made before the previous call. Messages may
   * be lost, and every caller waits for the last writer.
   *
   * @param maxWrites the most writes to return for each of them
   */
  public List<ReplicaLogSummary.MissingWrites> findUnacknowledged(int maxWrites) {
    synchronized (replica) {
      ReplicaState state = replica.state();
      return state.isActivePrimary()
          ? commitTracker.findUnacknowledged(log, state, maxWrites)
          : List.of();
    }
  }

  /** A write that is sent once more; null if a holder has acknowledged it meanwhile. */
  public @Nullable SegmentWrite resentWrite(OrderedWrite write) {
    synchronized (replica) {
      CopyChain chain = commitTracker.chainOf(write.index());
      return chain == null && replica.state().isScattered()
          ? null
          : replica.segmentWrite(0, write, chain);
    }
  }

  /** The other writers that have not acknowledged all that was written here. */
  List<Member> awaitedWriters() {
    synchronized (replica) {
      return commitTracker.awaitedWriters(replica.state());
    }
  }

  /** Whether some write made here is not acknowledged by all other writers. */
  public boolean hasUnacknowledgedWrites() {
    synchronized (replica) {
      return replica.state().isActivePrimary() && log.applied() > commitTracker.index();
    }
  }

  /**
   * Whether this replica, which is not the primary, holds writes without knowing whether they are
   * committed.
   */
  boolean hasUncertainWrites() {
    synchronized (replica) {
      ReplicaState state = replica.state();
      return (state.role() == ReplicaRole.BACKUP || state.role() == ReplicaRole.JOINER)
          && (!state.isServing() || log.uncommittedCount() > 0);
    }
  }

  /** The commit index to send to backups that receive no write; -1 if there is nothing to send. */
  long announceCommitIfNew() {
    synchronized (replica) {
      return replica.state().isActivePrimary() ? commitTracker.announceIfNew() : -1;
    }
  }
}
