package io.cantle.core.operation;

import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.CacheResolver.ResolvedCache;
import io.cantle.core.container.ValueHints;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaLookup;
import io.cantle.core.segment.KeyHash;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * This node's replicas of one cache, looked up once for each topology, so that a call finds the one
 * of its key by an index.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CacheReplicas {
  /** The replicas in one topology. */
  static final class OfTopology {
    private final Topology topology;
    private final int cache;
    private final KeyHash.SeededHasher hasher;
    private final Replica[] replicas;
    private final ReplicaLookup[] lookups;
    private final ValueHints hints;

    private OfTopology(Topology topology, int cache, Replica[] replicas) {
      this.topology = topology;
      this.cache = cache;
      this.hasher = KeyHash.withSeed(topology.hashSeed());
      this.replicas = replicas;
      this.hints = replicas[0].lookup().hints();
      this.lookups = Arrays.stream(replicas).map(Replica::lookup).toArray(ReplicaLookup[]::new);
    }

    /** What is remembered of the cache. */
    ValueHints hints() {
      return hints;
    }

    /** The topology; while it is the present one, these are the replicas. */
    Topology topology() {
      return topology;
    }

    /** The index of the cache. */
    int cache() {
      return cache;
    }

    /** The hash of a key. */
    long hash(byte[] bytes, int offset, int length) {
      return hasher.hash(bytes, offset, length);
    }

    /** The replica of the segment of a key with this hash. */
    Replica replicaOf(long hash) {
      return replicas[KeyHash.segment(hash, replicas.length)];
    }

    /** What looks up a key with this hash. */
    ReplicaLookup lookupOf(long hash) {
      return lookups[KeyHash.segment(hash, lookups.length)];
    }
  }

  private final CacheResolver cacheResolver;
  private final ReplicaContext context;
  private volatile @Nullable OfTopology latest;

  CacheReplicas(CacheResolver cacheResolver, ReplicaContext context) {
    this.cacheResolver = cacheResolver;
    this.context = context;
  }

  /** The replicas in the topology that was looked at last; null if none was. */
  @Nullable OfTopology latest() {
    return latest;
  }

  /**
   * The replicas in the present topology; null if the topology does not have the cache, or this
   * node has not followed it yet.
   *
   * @throws io.cantle.CacheDestroyedException if the cache was there, and was destroyed
   */
  @Nullable OfTopology current() {
    Topology topology = context.topologyDriver().current();
    OfTopology known = latest;
    return known != null && isOf(known, topology) ? known : find(topology);
  }

  /** Whether these are still the replicas. */
  boolean isCurrent(OfTopology found) {
    return isOf(found, context.topologyDriver().current());
  }

  @SuppressWarnings("ReferenceEquality") // Each topology is adopted as one object.
  private static boolean isOf(OfTopology found, Topology topology) {
    return found.topology == topology;
  }

  private @Nullable OfTopology find(Topology topology) {
    ResolvedCache cache = cacheResolver.find(topology);
    Replica[] replicas = cache == null ? new Replica[0] : context.replicas().ofCache(cache.index());
    if (cache == null || replicas.length != cache.segmentCount()) {
      return null;
    }
    OfTopology found = new OfTopology(topology, cache.index(), replicas);
    latest = found;
    return found;
  }
}
