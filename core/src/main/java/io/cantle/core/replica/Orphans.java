package io.cantle.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
  private final Set<Name> open = new HashSet<>();
  private final LinkedHashSet<Name> merged = new LinkedHashSet<>();

  /** None yet. */
  public Orphans() {}

  /** One more to be merged. */
  public void add(OrphanedCopy copy) {
    lock.lock();
    try {
      waiting.add(copy);
      open.add(Name.of(copy));
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
      open.remove(name);
      merged.add(name);
      while (merged.size() > MAX_MERGED) {
        merged.removeFirst();
      }
      return open.stream().noneMatch(other -> other.grid.equals(copy.grid()));
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

  /** The grids of which copies are open, for those who look at it from outside. */
  public List<UUID> grids() {
    lock.lock();
    try {
      return new ArrayList<>(new LinkedHashSet<>(open.stream().map(Name::grid).toList()));
    } finally {
      lock.unlock();
    }
  }

  /** What became of a copy. */
  public Fate fate(OrphanedCopy copy) {
    return fate(copy.grid(), copy.cache().name(), copy.segment());
  }

  /** What became of a copy that another node asks about. */
  public Fate fate(UUID grid, String cache, int segment) {
    lock.lock();
    try {
      Name name = new Name(grid, cache, segment);
      return open.contains(name) ? Fate.OPEN : merged.contains(name) ? Fate.MERGED : Fate.UNKNOWN;
    } finally {
      lock.unlock();
    }
  }
}
