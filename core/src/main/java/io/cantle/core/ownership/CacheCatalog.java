package io.cantle.core.ownership;

import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.MemoryBudget;
import io.cantle.core.base.MalformedException;
import io.cantle.core.ownership.Topology.CacheOwnership;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The caches of a grid. A cache is identified by its index, which never changes. The index of a
 * cache that was destroyed is never given to another one. So whatever names a cache by its index,
 * such as a message that comes late, or the copy of a node that was away, means none that was
 * created later under the same name.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param present the caches, by ascending indexes
 * @param destroyed the caches that not every member knows to be destroyed yet, by index; until all
 *     do, there is no other cache of the name
 * @param nextIndex the index of the cache that is created next
 * @param lastDestroyNumber the number of the last topology in which a cache was destroyed; 0 if
 *     none was
 */
public record CacheCatalog(
    List<CacheOwnership> present,
    SortedMap<Integer, DestroyedCache> destroyed,
    int nextIndex,
    long lastDestroyNumber)
    implements Iterable<CacheOwnership> {
  /**
   * A cache that not every member knows to be destroyed.
   *
   * @param number the number of the topology that no longer has it
   */
  record DestroyedCache(String name, long number) {}

  /** No caches. */
  public static final CacheCatalog NONE = of(List.of());

  /** The most caches that a grid creates while it exists. Some parts have an array of them. */
  static final int MAX_CREATED = 1 << 20;

  /** Copies the caches. */
  public CacheCatalog {
    present = List.copyOf(present);
    destroyed = Collections.unmodifiableSortedMap(new TreeMap<>(destroyed));
  }

  /** The catalog of a grid in which nothing was destroyed: the indexes are the places. */
  public static CacheCatalog of(List<CacheOwnership> caches) {
    return new CacheCatalog(caches, new TreeMap<>(), caches.size(), 0);
  }

  /** Checks the indexes, for what was read. */
  CacheCatalog requireOrder() {
    int last = -1;
    for (CacheOwnership cache : present) {
      if (cache.index() <= last || cache.index() >= nextIndex) {
        throw new MalformedException(
            "cache %s comes after %s, and the next is %s"
                .formatted(cache.index(), last, nextIndex));
      }
      last = cache.index();
    }
    return this;
  }

  /** Whether there is no cache of a name, and a cache may share the memory budget that it names. */
  public boolean mayCreate(CacheDefinition wanted) {
    return indexOf(wanted.name()) < 0 && budgetProblem(wanted) == null;
  }

  /**
   * Why a cache cannot share the memory budget that it names; null if it can, or names none.
   *
   * @param wanted a cache that does not exist
   */
  public @Nullable String budgetProblem(CacheDefinition wanted) {
    MemoryBudget budget = wanted.config().memoryBudget();
    if (budget.equals(MemoryBudget.NONE)) {
      return null;
    }
    long segments = wanted.config().segments();
    for (CacheOwnership cache : present) {
      MemoryBudget known = cache.definition().config().memoryBudget();
      if (!known.name().equals(budget.name())) {
        continue;
      }
      if (known.maxBytes() != budget.maxBytes()) {
        return ("memory budget \"%s\" has %s bytes in cache \"%s\" and cannot have %s in cache"
                + " \"%s\": open it with the same number, or with a budget of another name")
            .formatted(
                budget.name(),
                known.maxBytes(),
                cache.definition().name(),
                budget.maxBytes(),
                wanted.name());
      }
      segments += cache.definition().config().segments();
    }
    long minBytes = segments * CacheConfig.MIN_SEGMENT_BYTES;
    return budget.maxBytes() >= minBytes
        ? null
        : ("memory budget \"%s\" of %s bytes is less than %s, %s for each of the %s segments of its"
                + " caches with \"%s\": raise it, or lower segments")
            .formatted(
                budget.name(),
                budget.maxBytes(),
                minBytes,
                CacheConfig.MIN_SEGMENT_BYTES,
                segments,
                wanted.name());
  }

  /** The cache with an index; null if there is none. */
  public @Nullable CacheOwnership find(int index) {
    // As long as nothing was destroyed, the index is the place; later the place is lower.
    int low = 0;
    int place = Math.min(index, present.size() - 1);
    for (int high = place; low <= high; place = (low + high) >>> 1) {
      CacheOwnership cache = present.get(place);
      if (cache.index() == index) {
        return cache;
      } else if (cache.index() < index) {
        low = place + 1;
      } else {
        high = place - 1;
      }
    }
    return null;
  }

  /**
   * The cache with an index that some topology of this grid had.
   *
   * @throws CacheDestroyedException if it was destroyed
   */
  public CacheOwnership get(int index) {
    CacheOwnership cache = find(index);
    if (cache == null) {
      throw new CacheDestroyedException(
          "the cache was destroyed, with all its entries; open a cache of its name from the grid to"
              + " begin with an empty one");
    }
    return cache;
  }

  /** The first cache, which must exist. */
  public CacheOwnership getFirst() {
    return present.getFirst();
  }

  /** How many caches there are. */
  public int size() {
    return present.size();
  }

  /**
   * Whether there is no room for another cache. Those that not every member knows to be destroyed
   * count, so that a topology never names more than there may be.
   */
  boolean isFull() {
    return present.size() + destroyed.size() >= Topology.MAX_CACHES || nextIndex >= MAX_CREATED;
  }

  /** Whether there is no cache. */
  public boolean isEmpty() {
    return present.isEmpty();
  }

  /** The caches. */
  public Stream<CacheOwnership> stream() {
    return present.stream();
  }

  @Override
  public Iterator<CacheOwnership> iterator() {
    return present.iterator();
  }

  /** The index of the cache with this name, or -1. */
  int indexOf(String name) {
    for (CacheOwnership cache : present) {
      if (cache.definition().name().equals(name)) {
        return cache.index();
      }
    }
    return -1;
  }

  /** Whether a cache has this name, or one had it and not every member knows that it is gone. */
  boolean isNameTaken(String name) {
    return indexOf(name) >= 0
        || destroyed.values().stream().anyMatch(cache -> cache.name().equals(name));
  }

  /** Whether the cache that had this index was destroyed, whether all members know it or not. */
  public boolean isDestroyed(int index) {
    return index < nextIndex && find(index) == null;
  }

  /** Whether every member knows that the cache with this index was destroyed. */
  public boolean isGoneEverywhere(int index) {
    return isDestroyed(index) && !destroyed.containsKey(index);
  }

  /** Returns the same, with another form of each cache. */
  CacheCatalog map(Function<CacheOwnership, CacheOwnership> next) {
    return new CacheCatalog(
        present.stream().map(next).toList(), destroyed, nextIndex, lastDestroyNumber);
  }

  /**
   * Returns the same without the next so many indexes. A grid that goes on after a recovery gives
   * none of those that voters which were given up may have given to caches it does not know.
   */
  CacheCatalog skippingIndexes(int count) {
    int next = Math.min(MAX_CREATED, nextIndex + count);
    return new CacheCatalog(present, destroyed, next, lastDestroyNumber);
  }

  /** Returns the same with one more cache. */
  CacheCatalog with(CacheOwnership added) {
    List<CacheOwnership> more = new ArrayList<>(present);
    more.add(added);
    return new CacheCatalog(more, destroyed, added.index() + 1, lastDestroyNumber);
  }
}
