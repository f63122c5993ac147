package io.cantle.core.call;

import io.cantle.CacheDestroyedException;
import io.cantle.CallTimeoutException;
import io.cantle.NotAvailableException;
import io.cantle.core.base.Clock;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.CacheIdentity.CacheFate;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologySizeLimit;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.MessagingService;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds the index of a cache in the topology. That index never changes within one grid, nor in one
 * that descends from it. Once found, the cache is meant and not its name: if it is destroyed, its
 * callers are told so, although another one may have its name by now. A node that gives its grid up
 * for one that never had the cache finds it there by its name, or has it created.
 *
 * <p>Every call asks for the cache, so what was found is kept until there is another topology.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class CacheResolver {
  /**
   * A cache that was found.
   *
   * @param gridId the grid
   * @param topologyNumber the number of its topology
   * @param index the index of the cache
   * @param segmentCount the number of its segments
   * @param identity which cache it is
   */
  public record ResolvedCache(
      UUID gridId, long topologyNumber, int index, int segmentCount, CacheIdentity identity) {
    private static ResolvedCache of(Topology topology, int index) {
      CacheOwnership cache = topology.caches().get(index);
      return new ResolvedCache(
          topology.gridId(),
          topology.number(),
          index,
          cache.segments().size(),
          CacheIdentity.of(topology, cache));
    }

    private boolean isOf(Topology topology) {
      return topologyNumber == topology.number() && gridId.equals(topology.gridId());
    }

    /** The segment of a key with this hash. */
    public int segmentOf(long hash) {
      return KeyHash.segment(hash, segmentCount);
    }
  }

  private final TopologyDriver topologyDriver;
  private final Clock clock;
  private final CacheDefinition definition;
  private final boolean exact;
  private final boolean pinned;
  private volatile @Nullable ResolvedCache resolved;

  /** Resolves a cache that need not exist yet. */
  public CacheResolver(TopologyDriver topologyDriver, Clock clock, CacheDefinition definition) {
    this(topologyDriver, clock, definition, true, false);
  }

  private CacheResolver(
      TopologyDriver topologyDriver,
      Clock clock,
      CacheDefinition definition,
      boolean exact,
      boolean pinned) {
    this.topologyDriver = topologyDriver;
    this.clock = clock;
    this.definition = definition;
    this.exact = exact;
    this.pinned = pinned;
  }

  /**
   * Resolves a cache whatever configuration it has; this definition counts only if the cache does
   * not exist yet. This node may be the last to learn whether it exists. So the definition is
   * reported rather than assumed.
   */
  public static CacheResolver ofAnyConfiguration(
      TopologyDriver topologyDriver, Clock clock, CacheDefinition definition) {
    return new CacheResolver(topologyDriver, clock, definition, false, false);
  }

  /**
   * Resolves this cache and no other: not the one of its name in another grid, and none is created.
   *
   * @throws CacheDestroyedException if the topology does not have it
   */
  public static CacheResolver ofFound(
      TopologyDriver topologyDriver, Clock clock, Topology topology, CacheIdentity cache) {
    CacheOwnership found = topology.caches().get(cache.index());
    CacheResolver resolver =
        new CacheResolver(topologyDriver, clock, found.definition(), true, true);
    if (cache.fateIn(topology) != CacheFate.PRESENT) {
      throw resolver.ofGridLeft();
    }
    resolver.resolved = ResolvedCache.of(topology, cache.index());
    return resolver;
  }

  private CacheDestroyedException ofGridLeft() {
    return new CacheDestroyedException(
        "cache \"%s\" is of a grid that this node has left; open it again from the grid"
            .formatted(definition.name()));
  }

  /** The name of the cache, and the configuration with which it is opened. */
  public CacheDefinition definition() {
    return definition;
  }

  /** The same cache, which is to have this definition in another grid too. */
  public CacheResolver requiring(CacheDefinition found) {
    CacheResolver exactly = new CacheResolver(topologyDriver, clock, found);
    exactly.resolved = resolved;
    return exactly;
  }

  /**
   * The index of the cache in this topology; -1 if the topology does not have it.
   *
   * @throws IllegalStateException if the cache exists with another configuration
   * @throws CacheDestroyedException if the cache was there, and was destroyed
   */
  public int indexIn(Topology topology) {
    ResolvedCache found = find(topology);
    return found == null ? -1 : found.index;
  }

  /**
   * The cache in this topology; null if the topology does not have it.
   *
   * @throws IllegalStateException if the cache exists with another configuration
   * @throws CacheDestroyedException if the cache was there, and was destroyed
   */
  public @Nullable ResolvedCache find(Topology topology) {
    ResolvedCache last = resolved;
    return last != null && last.isOf(topology) ? last : findAnew(last, topology);
  }

  private @Nullable ResolvedCache findAnew(@Nullable ResolvedCache last, Topology topology) {
    boolean isPresent = last != null && fateOf(last, topology) == CacheFate.PRESENT;
    if (pinned && !isPresent) {
      throw ofGridLeft();
    }
    int index = last != null && isPresent ? last.index : findByName(topology);
    if (index < 0) {
      return null;
    }
    ResolvedCache found = ResolvedCache.of(topology, index);
    resolved = found;
    return found;
  }

  private int findByName(Topology topology) {
    int index = topology.cacheIndex(definition.name());
    String disagreement =
        exact && index >= 0
            ? Topology.disagreement(topology.caches().get(index).definition(), definition.config())
            : null;
    if (disagreement != null) {
      throw new IllegalStateException(disagreement);
    }
    String budgetProblem = exact && index < 0 ? topology.caches().budgetProblem(definition) : null;
    if (budgetProblem != null) {
      throw new IllegalStateException(budgetProblem);
    }
    return index;
  }

  /**
   * Does nothing, unless the cache was found before and was destroyed.
   *
   * @throws CacheDestroyedException if it was destroyed
   */
  public void requireNotDestroyed(Topology topology) {
    ResolvedCache last = resolved;
    if (last != null && !last.isOf(topology)) {
      var _ = fateOf(last, topology);
    }
  }

  /**
   * Does nothing, unless the cache was found before and was destroyed since.
   *
   * @throws CacheDestroyedException if it was destroyed
   */
  public void requireNotDestroyed() {
    requireNotDestroyed(topologyDriver.current());
  }

  private CacheFate fateOf(ResolvedCache last, Topology topology) {
    CacheFate fate = last.identity.fateIn(topology);
    if (fate == CacheFate.DESTROYED) {
      throw new CacheDestroyedException(
          ("cache \"%s\" was destroyed, with all its entries; open it again from the grid to begin"
                  + " with an empty one")
              .formatted(definition.name()));
    }
    return fate;
  }

  /**
   * Waits until the cache exists, and returns a topology that has it.
   *
   * @throws IllegalStateException if there is no room for it
   * @throws NotAvailableException if this node is cut off from the majority of its grid
   * @throws CallTimeoutException if it does not exist when the deadline has passed
   */
  public Topology awaitCreated(long deadlineNanos) {
    Topology topology = topologyDriver.current();
    if (indexIn(topology) < 0) {
      topology =
          CallLoop.awaitEffect(
              clock, deadlineNanos, () -> findCreated(deadlineNanos), this::requestCache);
    }
    if (topology == null) {
      String name = "cache \"" + definition.name() + "\"";
      MessagingService.checkInterrupted(() -> name + " to be created" + CallLoop.RETRY_IS_SAFE);
      throw new CallTimeoutException(name + " was not created in time" + CallLoop.RETRY_IS_SAFE);
    }
    return topology;
  }

  /** The present topology if it has the cache, else null; throws if there is no use in waiting. */
  private @Nullable Topology findCreated(long deadlineNanos) {
    Topology topology = topologyDriver.current();
    if (indexIn(topology) >= 0) {
      return topology;
    }
    // A node that has just founded a grid of its own may be about to give it up for another one.
    boolean isWritten = topology.gridDefinition().isWritten();
    if (topologyDriver.isCutOff() && (isWritten || clock.nanoTime() - deadlineNanos >= 0)) {
      throw new NotAvailableException(
          "cache \"%s\" cannot be opened: this node is cut off from the majority of its grid"
                  .formatted(definition.name())
              + (isWritten
                  ? ". " + topologyDriver.problemText()
                  : "; nothing was ever written in that, so it waited for the others, or for"
                      + " another grid it could join, and found none"));
    }
    return null;
  }

  private void requestCache() {
    Topology topology = topologyDriver.current();
    if (topology.isFounded()) {
      String refusal = TopologySizeLimit.refusalReason(topology, definition);
      if (refusal != null) {
        throw new IllegalStateException(refusal);
      }
      topologyDriver.reportCacheRequested(definition);
    }
  }
}
