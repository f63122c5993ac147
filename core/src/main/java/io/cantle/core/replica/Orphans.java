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
public final class Orphans {
  /** How many merged copies are remembered, for those that held the same. */
  private static final int MAX_MERGED = 200_000;

  /** How often a segment began empty while its copies were merged, as far as it is remembered. */
  private static final int MAX_LIVES = 8;

  private record Name(UUID grid, String cache, int segment) {
    static Name of(OrphanedCopy copy) {
      return new Name(copy.grid(), copy.cache().name(), copy.segment());
    }
  }

  /** What a node knows about a copy somebody asks about. */
  public enum Fate {
    /** It never had it. */
    UNKNOWN,
    /** It is at it. */
    OPEN,
    /** It has had it merged. */
    MERGED;

    private static final Fate[] ALL = values();

    /** The byte it is written as. */
    @SuppressWarnings("EnumOrdinal") // The order is the wire format.
    public int code() {
      return ordinal();
    }

    /** What {@link #code} stands for. */
    public static Fate of(int code) {
      return code < ALL.length ? ALL[code] : UNKNOWN;
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<OrphanedCopy> waiting = new ArrayDeque<>();
  private final Map<Name, List<OrphanedCopy>> open = new HashMap<>();
  private final LinkedHashMap<Name, List<Reach>> merged = new LinkedHashMap<>();

  /** None yet. */
  public Orphans() {}

  /** One more to be merged. */
  public void add(OrphanedCopy copy) {
    lock.lock();
    try {
      waiting.add(copy);
      open.computeIfAbsent(Name.of(copy), name -> new ArrayList<>()).add(copy);
    } finally {
      lock.unlock();
    }
  }

  /** Takes one to work on; it is given back or ended. */
  public @Nullable OrphanedCopy poll() {
    lock.lock();
    try {
      return waiting.poll();
    } finally {
      lock.unlock();
    }
  }

  /** It could not be merged yet. */
  public void giveBack(OrphanedCopy copy) {
    lock.lock();
    try {
      waiting.add(copy);
    } finally {
      lock.unlock();
    }
  }

  /** It was merged, by this node or another. Returns whether none of that grid is open any more. */
  public boolean ended(OrphanedCopy copy) {
    lock.lock();
    try {
      Name name = Name.of(copy);
      List<OrphanedCopy> still = open.get(name);
      if (still != null && still.remove(copy) && still.isEmpty()) {
        open.remove(name);
      }
      List<Reach> done = merged.computeIfAbsent(name, first -> new ArrayList<>());
      done.removeIf(copy.reach()::covers);
      if (done.size() < MAX_LIVES) {
        done.add(copy.reach());
      }
      while (merged.size() > MAX_MERGED) {
        merged.pollFirstEntry();
      }
      return open.keySet().stream().noneMatch(other -> other.grid.equals(copy.grid()));
    } finally {
      lock.unlock();
    }
  }

  /** Whether everything was merged. */
  public boolean isEmpty() {
    lock.lock();
    try {
      return open.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** How many copies are still to be merged. */
  public int count() {
    lock.lock();
    try {
      return open.values().stream().mapToInt(List::size).sum();
    } finally {
      lock.unlock();
    }
  }

  /** What is still to be merged, for those who look at it from outside. */
  public List<OrphanedCopy> copies() {
    lock.lock();
    try {
      return open.values().stream().flatMap(List::stream).toList();
    } finally {
      lock.unlock();
    }
  }

  /** The grids of which copies are open, for those who look at it from outside. */
  public List<UUID> grids() {
    lock.lock();
    try {
      return new ArrayList<>(new LinkedHashSet<>(open.keySet().stream().map(Name::grid).toList()));
    } finally {
      lock.unlock();
    }
  }

  /**
   * What became of a copy that another node asks about. Only one that holds as much counts: this
   * node may have had merged what it held earlier, and the other has written since.
   */
  public Fate fate(UUID grid, String cache, int segment, Reach reach) {
    lock.lock();
    try {
      Name name = new Name(grid, cache, segment);
      boolean isOpen =
          open.getOrDefault(name, List.of()).stream().anyMatch(one -> one.reach().covers(reach));
      boolean isMerged =
          merged.getOrDefault(name, List.of()).stream().anyMatch(one -> one.covers(reach));
      return isOpen ? Fate.OPEN : isMerged ? Fate.MERGED : Fate.UNKNOWN;
    } finally {
      lock.unlock();
    }
  }
}
