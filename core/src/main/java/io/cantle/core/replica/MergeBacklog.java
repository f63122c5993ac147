package io.cantle.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The copies this node still has to have merged, and which it has had merged.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock.
 */
public final class MergeBacklog {
  /** How many merged copies are remembered, for those that held the same. */
  private static final int MAX_MERGED = 200_000;

  /** How often a segment began empty while its copies were merged, as far as it is remembered. */
  private static final int MAX_REMEMBERED_PROGRESS = 8;

  private record ReplicaKey(UUID grid, String cache, int segment) {
    static ReplicaKey of(LosingReplica losing) {
      return new ReplicaKey(losing.gridId(), losing.cache().name(), losing.segment());
    }
  }

  /** What a node knows about a copy somebody asks about. */
  public enum MergeStatus {
    /** It never had it. */
    UNKNOWN,
    /** It is at it. */
    UNMERGED,
    /** It has had it merged. */
    MERGED;

    private static final MergeStatus[] ALL = values();

    /** The byte it is written as. */
    @SuppressWarnings("EnumOrdinal") // The order is the wire format.
    public int code() {
      return ordinal();
    }

    /** What {@link #code} stands for. */
    public static MergeStatus fromCode(int code) {
      return code < ALL.length ? ALL[code] : UNKNOWN;
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<LosingReplica> pending = new ArrayDeque<>();
  private final Map<ReplicaKey, List<LosingReplica>> unmerged = new HashMap<>();
  private final LinkedHashMap<ReplicaKey, List<ReplicaProgress>> merged = new LinkedHashMap<>();

  /** None yet. */
  public MergeBacklog() {}

  /** One more to be merged. */
  public void add(LosingReplica losing) {
    lock.lock();
    try {
      pending.add(losing);
      unmerged.computeIfAbsent(ReplicaKey.of(losing), name -> new ArrayList<>()).add(losing);
    } finally {
      lock.unlock();
    }
  }

  /** Takes one to work on; it is given back or ended. */
  public @Nullable LosingReplica poll() {
    lock.lock();
    try {
      return pending.poll();
    } finally {
      lock.unlock();
    }
  }

  /** It could not be merged yet. */
  public void putBack(LosingReplica losing) {
    lock.lock();
    try {
      pending.add(losing);
    } finally {
      lock.unlock();
    }
  }

  /** It was merged, by this node or another. Returns whether none of that grid is open any more. */
  public boolean markMerged(LosingReplica losing) {
    lock.lock();
    try {
      ReplicaKey name = ReplicaKey.of(losing);
      List<LosingReplica> remaining = unmerged.get(name);
      if (remaining != null && remaining.remove(losing) && remaining.isEmpty()) {
        unmerged.remove(name);
      }
      List<ReplicaProgress> mergedProgress =
          merged.computeIfAbsent(name, first -> new ArrayList<>());
      mergedProgress.removeIf(losing.progress()::covers);
      if (mergedProgress.size() < MAX_REMEMBERED_PROGRESS) {
        mergedProgress.add(losing.progress());
      }
      while (merged.size() > MAX_MERGED) {
        merged.pollFirstEntry();
      }
      return unmerged.keySet().stream().noneMatch(other -> other.grid.equals(losing.gridId()));
    } finally {
      lock.unlock();
    }
  }

  /** Whether everything was merged. */
  public boolean isEmpty() {
    lock.lock();
    try {
      return unmerged.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** How many copies are still to be merged. */
  public int unmergedCount() {
    lock.lock();
    try {
      return unmerged.values().stream().mapToInt(List::size).sum();
    } finally {
      lock.unlock();
    }
  }

  /** What is still to be merged, for those who look at it from outside. */
  public List<LosingReplica> unmergedReplicas() {
    lock.lock();
    try {
      return unmerged.values().stream().flatMap(List::stream).toList();
    } finally {
      lock.unlock();
    }
  }

  /** The grids of which copies are open, for those who look at it from outside. */
  public List<UUID> unmergedGrids() {
    lock.lock();
    try {
      return new ArrayList<>(
          new LinkedHashSet<>(unmerged.keySet().stream().map(ReplicaKey::grid).toList()));
    } finally {
      lock.unlock();
    }
  }

  /**
   * What became of a copy that another node asks about. Only one that holds as much counts: this
   * node may have had merged what it held earlier, and the other has written since.
   */
  public MergeStatus mergeStatus(UUID grid, String cache, int segment, ReplicaProgress progress) {
    lock.lock();
    try {
      ReplicaKey name = new ReplicaKey(grid, cache, segment);
      boolean isOpen =
          unmerged.getOrDefault(name, List.of()).stream()
              .anyMatch(one -> one.progress().covers(progress));
      boolean isMerged =
          merged.getOrDefault(name, List.of()).stream().anyMatch(one -> one.covers(progress));
      return isOpen ? MergeStatus.UNMERGED : isMerged ? MergeStatus.MERGED : MergeStatus.UNKNOWN;
    } finally {
      lock.unlock();
    }
  }
}
