package io.cantle.core.node;

import io.cantle.CallTimeoutException;
import io.cantle.NotAvailableException;
import io.cantle.core.topology.SegmentOwnership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.MessagingService;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What an operator asks of the whole grid: told to the voters again and again, until the topology
 * shows it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class AdminClient {
  /** Waits until something holds and repeats an action meanwhile; false if it does not in time. */
  interface ConditionWaiter {
    boolean await(Node.Condition condition, Runnable action);
  }

  private final TopologyDriver topologyDriver;
  private final ConditionWaiter conditionWaiter;
  private final Duration timeout;

  /** Wishes at one node; the timeout is that of the waiting. */
  AdminClient(TopologyDriver topologyDriver, ConditionWaiter conditionWaiter, Duration timeout) {
    this.topologyDriver = topologyDriver;
    this.conditionWaiter = conditionWaiter;
    this.timeout = timeout;
  }

  /**
   * Gives up what the segments of a cache held that are lost now; returns how many they are. What
   * is lost meanwhile was not given up.
   */
  int acceptLoss(String name) {
    checkAvailable();
    Topology topology = topologyDriver.current();
    int cacheIndex = topology.cacheIndex(name);
    Map<Integer, Integer> lost = lostEpochs(topology, name);
    awaitOrTimeOut(
        "what cache \"" + name + "\" lost was not given up",
        () -> stillLost(cacheIndex, lost).isEmpty(),
        () ->
            stillLost(cacheIndex, lost)
                .forEach(
                    (segment, epoch) ->
                        topologyDriver.reportLossAccepted(cacheIndex, segment, epoch)));
    return lost.size();
  }

  /** The segments of a cache that are lost. */
  SortedSet<Integer> lostSegments(String name) {
    checkAvailable();
    Topology topology = topologyDriver.current();
    return Collections.unmodifiableSortedSet(new TreeSet<>(lostEpochs(topology, name).keySet()));
  }

  /** Whether segments stay where they are. */
  boolean rebalancingSuspended() {
    checkAvailable();
    return topologyDriver.current().gridDefinition().isRebalanceSuspended();
  }

  /** Which segments of a cache are lost, and since which epoch of theirs. */
  private static Map<Integer, Integer> lostEpochs(Topology topology, String name) {
    int cacheIndex = topology.cacheIndex(name);
    if (cacheIndex < 0 && topology.gridDefinition().isWritten()) {
      throw new IllegalArgumentException("the grid has no cache \"" + name + "\"");
    }
    // A grid nothing was written in may just have taken the place of one with this cache.
    List<SegmentOwnership> segments =
        cacheIndex < 0 ? List.of() : topology.caches().get(cacheIndex).segments();
    Map<Integer, Integer> lost = new TreeMap<>();
    for (int segment = 0; segment < segments.size(); segment++) {
      if (segments.get(segment).isLost()) {
        lost.put(segment, segments.get(segment).epoch());
      }
    }
    return lost;
  }

  private Map<Integer, Integer> stillLost(int cacheIndex, Map<Integer, Integer> lost) {
    Topology topology = topologyDriver.current();
    Map<Integer, Integer> remaining = new TreeMap<>(lost);
    remaining
        .entrySet()
        .removeIf(entry -> !topology.isLostIn(cacheIndex, entry.getKey(), entry.getValue()));
    return remaining;
  }

  /** Keeps segments where they are although members come, or lets them move again. */
  void suspendRebalancing(boolean suspended) {
    checkAvailable();
    awaitOrTimeOut(
        "rebalancing was not " + (suspended ? "suspended" : "resumed"),
        () -> topologyDriver.current().gridDefinition().isRebalanceSuspended() == suspended,
        () -> topologyDriver.reportSuspended(suspended));
  }

  /** Goes on without voters that are gone for good; an operator's word. */
  void recoverVoters(Collection<String> gone) {
    UUID grid = topologyDriver.recoverVoters(gone);
    awaitOrTimeOut(
        "the grid did not go on without " + String.join(", ", gone),
        () -> topologyDriver.current().gridId().equals(grid) || !topologyDriver.recovers(),
        () -> {});
    if (!topologyDriver.current().gridId().equals(grid)) {
      throw new IllegalStateException(
          "a majority of those that decide is heard again, or another grid was joined: nobody was"
              + " given up");
    }
  }

  /** What a node that is cut off sees of the grid may long be otherwise. */
  private void checkAvailable() {
    if (topologyDriver.isCutOff()) {
      throw new NotAvailableException(
          "this node is cut off from the majority of its grid, and cannot tell it anything; try"
              + " again once it is back, or at another node. "
              + topologyDriver.trouble());
    }
  }

  private void awaitOrTimeOut(String failureText, Node.Condition condition, Runnable report) {
    if (!conditionWaiter.await(condition, report)) {
      MessagingService.checkInterrupted();
      throw new CallTimeoutException(
          failureText + " within " + timeout.toMillis() + " ms; trying again is safe");
    }
  }
}
