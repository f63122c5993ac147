package io.cantle.core.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a joiner fetches of earlier epochs: entries and the results of commands. It takes part in
 * every write of the present epoch, so what it fetches never replaces a later version.
 *
 * <p><b>Threading:</b> any thread; guarded by the monitor of the replica.
 */
public final class ReplicaTransfer {
  private final Replica replica;
  private final ReplicaData data;
  private final ReplicaLog log;
  private final ReplicaDivergence divergence;

  @GuardedBy("replica")
  private SegmentCursor cursor = SegmentCursor.START;

  ReplicaTransfer(Replica replica, ReplicaData data, ReplicaLog log, ReplicaDivergence divergence) {
    this.replica = replica;
    this.data = data;
    this.log = log;
    this.divergence = divergence;
  }

  /** Begins again: nothing is held. */
  void restart() {
    synchronized (replica) {
      cursor = SegmentCursor.START;
    }
  }

  /** Whether everything was fetched. */
  boolean isComplete() {
    synchronized (replica) {
      return cursor.equals(SegmentCursor.END);
    }
  }

  /**
   * The cursor from which the next transfer continues, for a joiner in this epoch; null when there
   * is no transfer to make.
   */
  public @Nullable SegmentCursor cursor(int epoch) {
    synchronized (replica) {
      return isJoining(epoch) ? cursor : null;
    }
  }

  private boolean isJoining(int epoch) {
    ReplicaState state = replica.state();
    return state.epoch() == epoch && state.role() == ReplicaRole.JOINER;
  }

  /**
   * Adds what a pull brought, once this replica has come as far as the primary had. The primary
   * leaves out an entry that a write of the present epoch has replaced. That is safe only where
   * that write is held: if the write is lost with its primary, the old entry must still exist
   * somewhere.
   *
   * @param index how far the primary had come when it had read the last of the entries
   * @param segmentMillis the time of the segment at the primary, -1 if it has not started
   */
  public TransferResult apply(
      int epoch, long index, List<Entry> entries, SegmentCursor next, long segmentMillis) {
    synchronized (replica) {
      if (!isJoining(epoch)) {
        return TransferResult.REFUSED;
      }
      // Only an active primary answers transfers, so the epoch is served.
      replica.markServed();
      if (log.applied() < index) {
        return TransferResult.NOT_YET;
      }
      entries.forEach(data::addTransferred);
      data.advanceClock(segmentMillis);
      cursor = next;
      if (isComplete()) {
        // Tombstones were purged elsewhere before this replica could know them.
        data.feed().onPurged(epoch, log.applied());
        data.feed().onComplete();
      }
      return TransferResult.ADDED;
    }
  }

  /** Adds the results of commands that the primary knows; false when the epoch is over. */
  public boolean mergeSessions(int epoch, Input in) {
    synchronized (replica) {
      boolean joins = isJoining(epoch);
      if (joins) {
        data.sessions().merge(in);
        divergence.merge(in);
      }
      return joins;
    }
  }

  /**
   * Writes the results of commands of earlier epochs, at the primary. Those of the present epoch
   * reach a joiner with the writes themselves: a result without its write would be returned even if
   * the write is lost.
   */
  public void writeSessions(Output out) {
    synchronized (replica) {
      data.sessions().write(out, replica.state().epoch());
      divergence.write(out);
    }
  }
}
