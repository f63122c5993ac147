package io.cantle.core.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The losing replicas that this node still has to merge, and those it has merged.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class MergeBacklog {
  /** The number of merged replicas to remember, for other nodes that held the same. */
  private static final int MAX_MERGED = 200_000;

  /**
   * The most progress records to remember for a replica: one for each time its segment began empty.
   */
  private static final int MAX_REMEMBERED_PROGRESS = 8;

  private record ReplicaKey(UUID grid, int cache, int segment) {
    static ReplicaKey of(LosingReplica losing) {
      return new ReplicaKey(losing.gridId(), losing.identity().index(), losing.segment());
    }
  }

  /**
   * What was merged.
   *
   * @param birthEpochs those of the segments that received it, see {@link #receivingBirthEpochs}
   */
  private record MergedReplica(ReplicaProgress progress, List<Integer> birthEpochs) {}

  /** The birth epochs of the segments that receive a replica; none where its cache is unknown. */
  public static List<Integer> receivingBirthEpochs(Topology topology, LosingReplica losing) {
    CacheOwnership cache = topology.caches().find(losing.identity().index());
    return cache == null
        ? List.of()
        : cache.birthEpochs(losing.segment(), losing.cache().config().segments());
  }

  /** What a node knows about a replica that another node asks about. */
  public enum MergeStatus {
    /** The node never had it. */
    UNKNOWN,
    /** The node has still to merge it. */
    UNMERGED,
    /** The node has merged it. */
    MERGED;

    private static final MergeStatus[] ALL = values();

    /** Decodes the byte of an answer; the order is the wire format. */
    public static MergeStatus fromCode(int code) {
      return code < ALL.length ? ALL[code] : UNKNOWN;
    }
  }

  @GuardedBy("this")
  private final ArrayDeque<LosingReplica> pending = new ArrayDeque<>();

  @GuardedBy("this")
  private final Map<ReplicaKey, List<LosingReplica>> unmerged = new HashMap<>();

  @GuardedBy("this")
  private final LinkedHashMap<ReplicaKey, List<MergedReplica>> merged = new LinkedHashMap<>();

  /** Creates an empty backlog. */
  public MergeBacklog() {}

  /** Adds a replica to be merged. */
  public synchronized void add(LosingReplica losing) {
    pending.add(losing);
    unmerged.computeIfAbsent(ReplicaKey.of(losing), name -> new ArrayList<>()).add(losing);
  }

  /**
   * Takes a replica to work on. The caller later returns it with {@link #putBack} or ends it with
   * {@link #markMerged}.
   */
  public synchronized @Nullable LosingReplica poll() {
    return pending.poll();
  }

  /** Returns a replica that could not be merged yet. */
  public synchronized void putBack(LosingReplica losing) {
    pending.add(losing);
  }

  /**
   * Records that a replica was merged, by this node or another one. Returns whether nothing of its
   * grid remains to be merged.
   *
   * @param topology the one in which it was merged
   */
  public synchronized boolean markMerged(LosingReplica losing, Topology topology) {
    ReplicaKey name = ReplicaKey.of(losing);
    List<LosingReplica> remaining = unmerged.get(name);
    if (remaining != null && remaining.remove(losing) && remaining.isEmpty()) {
      unmerged.remove(name);
    }
    List<MergedReplica> replicas = merged.computeIfAbsent(name, first -> new ArrayList<>());
    replicas.removeIf(one -> losing.progress().covers(one.progress));
    if (replicas.size() < MAX_REMEMBERED_PROGRESS) {
      replicas.add(new MergedReplica(losing.progress(), receivingBirthEpochs(topology, losing)));
    }
    while (merged.size() > MAX_MERGED) {
      merged.pollFirstEntry();
    }
    return unmerged.keySet().stream().noneMatch(other -> other.grid.equals(losing.gridId()));
  }

  /** Whether everything was merged. */
  public synchronized boolean isEmpty() {
    return unmerged.isEmpty();
  }

  /** How many replicas are still to be merged. */
  public synchronized int unmergedCount() {
    return unmerged.values().stream().mapToInt(List::size).sum();
  }

  /** The replicas still to be merged, for inspection. */
  public synchronized List<LosingReplica> unmergedReplicas() {
    return unmerged.values().stream().flatMap(List::stream).toList();
  }

  /**
   * Returns the merge status of a replica that another node asks about. Only a replica that holds
   * as much counts: this node may have merged an earlier state, and the other node has written
   * since. What was merged into a segment that has begun empty since does not count either: its
   * owners took it with them, and what the other node holds may be the last copy (seed 90014).
   *
   * @param birthEpochs those of the segments that are to have its entries, as the other node knows;
   *     none if its cache was destroyed, perhaps after it was merged
   */
  public synchronized MergeStatus mergeStatus(
      UUID grid, int cache, int segment, ReplicaProgress progress, List<Integer> birthEpochs) {
    ReplicaKey name = new ReplicaKey(grid, cache, segment);
    boolean isOpen =
        unmerged.getOrDefault(name, List.of()).stream()
            .anyMatch(one -> one.progress().covers(progress));
    boolean isMerged =
        merged.getOrDefault(name, List.of()).stream()
            .anyMatch(
                one ->
                    one.progress.covers(progress)
                        && (birthEpochs.isEmpty() || one.birthEpochs.equals(birthEpochs)));
    return isOpen ? MergeStatus.UNMERGED : isMerged ? MergeStatus.MERGED : MergeStatus.UNKNOWN;
  }
}
