package io.cantle.core.container;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cantle.core.segment.KeyHash;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** A cache of so many keys, in one of the ways that were weighed for bounded caches. */
public interface EvictionCandidate {
  /** Reads a key, and puts it if it is not there. Returns whether it was. */
  boolean read(long key);

  /** The hit rate in percent, after a fifth of the trace to fill the cache. */
  default double hitPercent(AccessTrace trace) {
    long[] keys = trace.keys();
    int warm = keys.length / 5;
    int hits = 0;
    for (int i = 0; i < keys.length; i++) {
      hits += read(keys[i]) && i >= warm ? 1 : 0;
    }
    return 100.0 * hits / (keys.length - warm);
  }

  /** The product's own, with the keys divided over segments as a cache does. */
  final class Chosen implements EvictionCandidate {
    private final int segmentCapacity;
    private final HeapContainer[] segments;
    private final EvictionQueue[] queues;
    private long index;

    /** Creates an empty cache with room for so many entries. */
    public Chosen(int capacity, int segmentCount) {
      segmentCapacity = capacity / segmentCount;
      segments = new HeapContainer[segmentCount];
      queues = new EvictionQueue[segmentCount];
      for (int i = 0; i < segmentCount; i++) {
        segments[i] = new HeapContainer();
        queues[i] = new EvictionQueue(segments[i]);
      }
    }

    @Override
    public boolean read(long key) {
      byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(key).array();
      long hash = KeyHash.hash(1, bytes, 0, bytes.length);
      int segment = KeyHash.segment(hash, segments.length);
      HeapContainer entries = segments[segment];
      Entry found = entries.get(hash, bytes, 0, bytes.length);
      if (found != null) {
        entries.markUsed(found);
        return true;
      }
      Entry added = Entry.of(hash, bytes, bytes.length, 1, ++index, false, 0, null);
      entries.put(added);
      queues[segment].onAdded(added);
      while (entries.liveCount() > segmentCapacity) {
        Entry victim = queues[segment].pollVictim();
        if (victim == null || !entries.remove(victim)) {
          throw new IllegalStateException("no victim among " + entries.liveCount());
        }
      }
      return false;
    }
  }

  /** The measure. */
  static EvictionCandidate caffeine(int capacity) {
    Cache<Long, Boolean> cache =
        Caffeine.newBuilder().maximumSize(capacity).executor(Runnable::run).build();
    return key -> {
      boolean found = cache.getIfPresent(key) != null;
      if (!found) {
        cache.put(key, true);
      }
      return found;
    };
  }

  /** The least recently used key goes. */
  static EvictionCandidate leastRecentlyUsed(int capacity) {
    Map<Long, Boolean> cache =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > capacity;
          }
        };
    return key -> {
      boolean found = cache.get(key) != null;
      if (!found) {
        cache.put(key, true);
      }
      return found;
    };
  }

  /** SIEVE: one queue, and a hand that passes over used keys without moving them. */
  final class Sieve implements EvictionCandidate {
    /** A key, between an earlier and a later one. */
    private static final class Place {
      private final long key;
      private boolean used;
      private Place earlier = this;
      private Place later = this;

      private Place(long key) {
        this.key = key;
      }
    }

    private final Map<Long, Place> places = new HashMap<>();
    private final Place ends = new Place(-1);
    private final int capacity;
    private Place hand = ends;

    Sieve(int capacity) {
      this.capacity = capacity;
    }

    @Override
    public boolean read(long key) {
      Place found = places.get(key);
      if (found != null) {
        found.used = true;
        return true;
      }
      if (places.size() == capacity) {
        evict();
      }
      Place added = new Place(key);
      added.earlier = ends.earlier;
      added.later = ends;
      ends.earlier.later = added;
      ends.earlier = added;
      places.put(key, added);
      return false;
    }

    private void evict() {
      Place victim = hand == ends ? ends.later : hand;
      while (victim.used) {
        victim.used = false;
        victim = victim.later == ends ? ends.later : victim.later;
      }
      hand = victim.later;
      victim.earlier.later = victim.later;
      victim.later.earlier = victim.earlier;
      places.remove(victim.key);
    }
  }

  /** S3-FIFO as in its paper: two bits a key, a tenth on probation. */
  final class S3Fifo implements EvictionCandidate {
    private static final int MAX_USES = 3;
    private final Map<Long, Integer> uses = new HashMap<>();
    private final Deque<Long> small = new ArrayDeque<>();
    private final Deque<Long> main = new ArrayDeque<>();
    private final Set<Long> ghosts = new LinkedHashSet<>();
    private final int capacity;
    private final int smallCapacity;

    S3Fifo(int capacity) {
      this.capacity = capacity;
      this.smallCapacity = capacity / 10;
    }

    @Override
    public boolean read(long key) {
      if (uses.computeIfPresent(key, (same, count) -> Math.min(MAX_USES, count + 1)) != null) {
        return true;
      }
      while (uses.size() >= capacity) {
        evict();
      }
      (ghosts.remove(key) ? main : small).add(key);
      uses.put(key, 0);
      return false;
    }

    private void evict() {
      if (small.size() >= smallCapacity || main.isEmpty()) {
        long key = small.remove();
        if (uses.getOrDefault(key, 0) > 1) {
          uses.put(key, 0);
          main.add(key);
        } else {
          uses.remove(key);
          ghosts.add(key);
          if (ghosts.size() > capacity - smallCapacity) {
            ghosts.remove(ghosts.iterator().next());
          }
        }
      } else {
        long key = main.remove();
        int count = uses.getOrDefault(key, 0);
        if (count > 0) {
          uses.put(key, count - 1);
          main.add(key);
        } else {
          uses.remove(key);
        }
      }
    }
  }
}
