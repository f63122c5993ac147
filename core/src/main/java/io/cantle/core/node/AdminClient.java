package io.cantle.core.node;

import io.cantle.CallTimeoutException;
import io.cantle.NotAvailableException;
import io.cantle.core.call.CallLoop;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.CacheIdentity.CacheFate;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.MessagingService;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An operator's requests to the whole grid. A request is sent to the voters repeatedly until the
 * topology shows its effect.
 *
 * <p><b>Threading:</b> any thread.
 */
final class AdminClient {
  private final TopologyDriver topologyDriver;
  private final NodeState state;
  private final Duration timeout;

  /** Creates a client at one node; {@code timeout} limits each request. */
  AdminClient(TopologyDriver topologyDriver, NodeState state, Duration timeout) {
    this.topologyDriver = topologyDriver;
    this.state = state;
    this.timeout = timeout;
  }

  /**
   * Gives up the contents of the segments of a cache that are lost now; returns how many they are.
   * Segments that are lost later are not given up.
   */
  int acceptLoss(String name) {
    checkAvailable();
    Topology before = topologyDriver.current();
    SortedMap<Integer, Integer> lost = lostEpochs(before, name);
    SortedMap<Integer, Integer> remaining = new TreeMap<>(lost);
    int cacheIndex = before.cacheIndex(name);
    awaitOrTimeOut(
        "the losses of cache \"" + name + "\" were not accepted",
        () -> {
          Topology topology = topologyDriver.current();
          remaining
              .entrySet()
              .removeIf(entry -> !topology.isLostIn(cacheIndex, entry.getKey(), entry.getValue()));
          return remaining.isEmpty();
        },
        () ->
            remaining.forEach(
                (segment, epoch) -> topologyDriver.reportLossAccepted(cacheIndex, segment, epoch)));
    return lost.size();
  }

  /** The names of the caches of the grid. */
  SortedSet<String> cacheNames() {
    checkAvailable();
    SortedSet<String> names = new TreeSet<>();
    topologyDriver.current().caches().forEach(cache -> names.add(cache.definition().name()));
    return names;
  }

  /** The lost segments of a cache. */
  SortedSet<Integer> lostSegments(String name) {
    checkAvailable();
    return Collections.unmodifiableSortedSet(
        new TreeSet<>(lostEpochs(topologyDriver.current(), name).keySet()));
  }

  /** Whether rebalancing is suspended. */
  boolean rebalancingSuspended() {
    checkAvailable();
    return topologyDriver.current().gridDefinition().isRebalanceSuspended();
  }

  /** The lost segments of a cache, each with the epoch since which it is lost. */
  private static SortedMap<Integer, Integer> lostEpochs(Topology topology, String name) {
    int cacheIndex = topology.cacheIndex(name);
    if (cacheIndex < 0 && topology.gridDefinition().isWritten()) {
      throw new IllegalArgumentException("the grid has no cache \"" + name + "\"");
    }
    // A grid without writes may just have replaced one that has this cache.
    List<SegmentOwnership> segments =
        cacheIndex < 0 ? List.of() : topology.caches().get(cacheIndex).segments();
    SortedMap<Integer, Integer> lost = new TreeMap<>();
    for (int segment = 0; segment < segments.size(); segment++) {
      if (segments.get(segment).isLost()) {
        lost.put(segment, segments.get(segment).epoch());
      }
    }
    return lost;
  }

  /**
   * Destroys a cache; returns once every member knows.
   *
   * @throws IllegalArgumentException if the grid has no such cache
   */
  void destroy(String name) {
    checkAvailable();
    DestroyRequest request = new DestroyRequest(name);
    awaitOrTimeOut(
        "cache \"" + name + "\" was not destroyed everywhere", request::isDone, request::report);
  }

  /**
   * A request to destroy the cache that has a name when the call begins.
   *
   * <p><b>Threading:</b> one thread.
   */
  private final class DestroyRequest {
    private final String name;
    private @Nullable CacheIdentity found;

    DestroyRequest(String name) {
      this.name = name;
    }

    /**
     * Finds the cache once this node is known to be a member. Before, it may have missed that the
     * cache it knows was destroyed, and that another one has the name: it would be told that all is
     * done already.
     */
    private @Nullable CacheIdentity find() {
      if (found == null && topologyDriver.lease().isHeld()) {
        Topology topology = topologyDriver.current();
        int index = topology.cacheIndex(name);
        if (index < 0) {
          throw new IllegalArgumentException("the grid has no cache \"" + name + "\"");
        }
        found = CacheIdentity.of(topology, topology.caches().get(index));
      }
      return found;
    }

    boolean isDone() {
      CacheIdentity cache = find();
      Topology topology = topologyDriver.current();
      return cache != null
          && cache.fateIn(topology) == CacheFate.DESTROYED
          && topology.caches().isGoneEverywhere(cache.index());
    }

    void report() {
      CacheIdentity cache = find();
      Topology topology = topologyDriver.current();
      if (cache != null && cache.fateIn(topology) == CacheFate.PRESENT) {
        topologyDriver.reportDestroyRequested(topology.gridId(), cache.index());
      }
    }
  }

  /** Suspends or resumes the rebalancing of segments when members join. */
  void suspendRebalancing(boolean suspended) {
    checkAvailable();
    awaitOrTimeOut(
        "rebalancing was not " + (suspended ? "suspended" : "resumed"),
        () -> topologyDriver.current().gridDefinition().isRebalanceSuspended() == suspended,
        () -> topologyDriver.reportSuspended(suspended));
  }

  /** Continues without voters that are gone for good, on an operator's request. */
  void recoverVoters(Collection<String> gone) {
    state.checkUsable();
    UUID grid = topologyDriver.recoverVoters(gone);
    awaitOrTimeOut(
        "the grid did not continue without " + String.join(", ", gone),
        () -> topologyDriver.current().gridId().equals(grid) || !topologyDriver.isRecovering(),
        () -> {});
    if (!topologyDriver.current().gridId().equals(grid)) {
      throw new IllegalStateException(
          "a majority of the voters is reachable again, or this node has joined another grid: no"
              + " voter was given up");
    }
  }

  /**
   * Refuses a request at a node that cannot be used, or is cut off, since its view of the grid may
   * be long outdated.
   */
  private void checkAvailable() {
    state.checkUsable();
    if (topologyDriver.isCutOff()) {
      throw new NotAvailableException(
          ("node %s is cut off from the majority of its grid, so requests do not reach it; try"
                  + " again once it is back, or at another node. %s")
              .formatted(state.nodeName(), topologyDriver.problemText()));
    }
  }

  private void awaitOrTimeOut(String failureText, BooleanSupplier condition, Runnable report) {
    boolean isDone =
        state.await(timeout, () -> state.isClosed() || condition.getAsBoolean(), report);
    state.checkUsable();
    if (!isDone) {
      MessagingService.checkInterrupted(() -> "what it requested" + CallLoop.RETRY_IS_SAFE);
      throw new CallTimeoutException(
          failureText + " within " + timeout.toMillis() + " ms" + CallLoop.RETRY_IS_SAFE);
    }
  }
}
