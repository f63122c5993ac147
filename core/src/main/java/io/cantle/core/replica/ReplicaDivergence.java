package io.cantle.core.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.partition.LosingReplica.FinalContents;
import io.cantle.core.transport.Member;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a replica keeps for other sides of a partition: where it diverged from them, and what it
 * held when it ended. With {@link LosingReplicaCollector} it is the seam of replicas to available
 * mode; in a consistent grid nothing follows from it.
 *
 * <p><b>Threading:</b> any thread; guarded by the monitor of the replica.
 */
public final class ReplicaDivergence {
  /** The number of former grids for which the replica remembers how far it had come. */
  private static final int MAX_DIVERGENCE_POINTS = 32;

  private final Replica replica;
  private final ReplicaData data;
  private final ReplicaLog log;

  /** How far the replica had come when it left each grid. */
  @GuardedBy("replica")
  private final LinkedHashMap<UUID, DivergencePoint> points = new LinkedHashMap<>();

  @GuardedBy("replica")
  private @Nullable UUID currentGridId;

  @GuardedBy("replica")
  private @Nullable FinalContents finalContents;

  ReplicaDivergence(Replica replica, ReplicaData data, ReplicaLog log) {
    this.replica = replica;
    this.data = data;
    this.log = log;
  }

  /**
   * How far the replica had come when it left a grid; null if it holds nothing of that grid's
   * writes.
   */
  public @Nullable DivergencePoint pointFrom(UUID left) {
    synchronized (replica) {
      return points.get(left);
    }
  }

  /** Returns, once only, what the replica held when it ended, if that is to be merged. */
  @Nullable FinalContents takeFinalContents() {
    synchronized (replica) {
      FinalContents taken = finalContents;
      finalContents = null;
      return taken;
    }
  }

  /**
   * Remembers what other sides of a partition may lack, before it is dropped. The contents with
   * which this node was excluded count too: the nodes that continued without it may all have died
   * since, and the topology that names them as owners may be an old one. Called before the epoch is
   * entered.
   *
   * @param isMember whether this node is a member of the new topology
   */
  void onEpochEntry(
      SegmentOwnership ownership, Member self, GridDefinition gridDefinition, boolean isMember) {
    synchronized (replica) {
      ReplicaState state = replica.state();
      boolean holdsEverything = replica.holdsEverything();
      boolean wasExcluded = !isMember || state.role() == ReplicaRole.FORMER_OWNER;
      boolean endsByExclusion = wasExcluded && !ReplicaRole.of(ownership, self).isInSync();
      if (gridDefinition.prefersAvailability()
          && holdsEverything
          && (ownership.birthEpoch() > state.epoch() || endsByExclusion)) {
        finalContents = capture(state);
      }
      enterGrid(gridDefinition.gridId(), holdsEverything ? divergencePoint(state.epoch()) : null);
      data.setStamped(gridDefinition.prefersAvailability());
    }
  }

  /**
   * Records that the replica continues in a grid, which may be the same grid as before.
   *
   * @param reached how far the replica has come, or null if it does not hold everything
   */
  @GuardedBy("replica")
  private void enterGrid(UUID next, @Nullable DivergencePoint reached) {
    UUID left = currentGridId;
    if (left != null && !left.equals(next) && reached != null) {
      points.put(left, reached);
      if (points.size() > MAX_DIVERGENCE_POINTS) {
        points.pollFirstEntry();
      }
    }
    currentGridId = next;
  }

  /** Remembers what the replica holds of a grid that this node leaves. */
  void onRetirement() {
    synchronized (replica) {
      if (data.isStamped() && replica.holdsEverything()) {
        finalContents = capture(replica.state());
      }
    }
  }

  /** What a replica that holds everything has in its last state. */
  @GuardedBy("replica")
  private FinalContents capture(ReplicaState state) {
    return new FinalContents(
        state.role() != ReplicaRole.FORMER_OWNER,
        divergencePoint(state.epoch()),
        Map.copyOf(points),
        data.entries().toList(),
        data.segmentClock().segmentTime());
  }

  private DivergencePoint divergencePoint(int entered) {
    return new DivergencePoint(entered, log.lastCommon(entered), data.committedStamp());
  }

  /** Forgets where the replica diverged: it has dropped what it held. */
  void onDropped() {
    synchronized (replica) {
      points.clear();
    }
  }

  /** Adds where the primary diverged, whose contents this replica fetches. */
  void merge(Input in) {
    synchronized (replica) {
      for (int count = in.readCount(MAX_DIVERGENCE_POINTS); count > 0; count--) {
        points.put(in.readId(), DivergencePoint.read(in));
      }
    }
  }

  /** Writes where the replica diverged, for a joiner. */
  void write(Output out) {
    synchronized (replica) {
      out.writeVarint(points.size());
      points.forEach(
          (left, divergence) -> {
            out.writeId(left);
            divergence.write(out);
          });
    }
  }
}
