package io.cantle.core.node;

import io.cantle.NotAvailableException;
import io.cantle.TimeoutException;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Requests;
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
final class Wishes {
  /** Waits until something holds and repeats an action meanwhile; false if it does not in time. */
  interface Waiting {
    boolean await(Node.Condition condition, Runnable again);
  }

  private final TopologyKeeper topologies;
  private final Waiting waiting;
  private final Duration timeout;

  /** Wishes at one node; the timeout is that of the waiting. */
  Wishes(TopologyKeeper topologies, Waiting waiting, Duration timeout) {
    this.topologies = topologies;
    this.waiting = waiting;
    this.timeout = timeout;
  }

  /**
   * Gives up what the segments of a cache held that are lost now; returns how many they are. What
   * is lost meanwhile was not given up.
   */
  int acceptLoss(String name) {
    checkAvailable();
    Topology topology = topologies.current();
    int place = topology.cache(name);
    Map<Integer, Integer> lost = lost(topology, name);
    await(
        "what cache \"" + name + "\" lost was not given up",
        () -> stillLost(place, lost).isEmpty(),
        () ->
            stillLost(place, lost)
                .forEach((segment, epoch) -> topologies.reportLossAccepted(place, segment, epoch)));
    return lost.size();
  }

  /** The segments of a cache that are lost. */
  SortedSet<Integer> lostSegments(String name) {
    checkAvailable();
    Topology topology = topologies.current();
    return Collections.unmodifiableSortedSet(new TreeSet<>(lost(topology, name).keySet()));
  }

  /** Whether segments stay where they are. */
  boolean rebalancingSuspended() {
    checkAvailable();
    return topologies.current().charter().suspended();
  }

  /** Which segments of a cache are lost, and since which epoch of theirs. */
  private static Map<Integer, Integer> lost(Topology topology, String name) {
    int place = topology.cache(name);
    if (place < 0 && topology.charter().used()) {
      throw new IllegalArgumentException("the grid has no cache \"" + name + "\"");
    }
    // A grid nothing was written in may just have taken the place of one with this cache.
    List<Ownership> segments = place < 0 ? List.of() : topology.caches().get(place).segments();
    Map<Integer, Integer> lost = new TreeMap<>();
    for (int segment = 0; segment < segments.size(); segment++) {
      if (segments.get(segment).lost()) {
        lost.put(segment, segments.get(segment).epoch());
      }
    }
    return lost;
  }

  private Map<Integer, Integer> stillLost(int place, Map<Integer, Integer> lost) {
    Topology topology = topologies.current();
    Map<Integer, Integer> still = new TreeMap<>(lost);
    still.entrySet().removeIf(one -> !topology.lostIn(place, one.getKey(), one.getValue()));
    return still;
  }

  /** Keeps segments where they are although members come, or lets them move again. */
  void suspendRebalancing(boolean suspended) {
    checkAvailable();
    await(
        "rebalancing was not " + (suspended ? "suspended" : "resumed"),
        () -> topologies.current().charter().suspended() == suspended,
        () -> topologies.reportSuspended(suspended));
  }

  /** Goes on without voters that are gone for good; an operator's word. */
  void recoverVoters(Collection<String> gone) {
    UUID grid = topologies.recoverVoters(gone);
    await(
        "the grid did not go on without " + String.join(", ", gone),
        () -> topologies.current().gridId().equals(grid) || !topologies.recovers(),
        () -> {});
    if (!topologies.current().gridId().equals(grid)) {
      throw new IllegalStateException(
          "a majority of those that decide is heard again, or another grid was joined: nobody was"
              + " given up");
    }
  }

  /** What a node that is cut off sees of the grid may long be otherwise. */
  private void checkAvailable() {
    if (topologies.cutOff()) {
      throw new NotAvailableException(
          "this node is cut off from the majority of its grid, and cannot tell it anything; try"
              + " again once it is back, or at another node. "
              + topologies.trouble());
    }
  }

  private void await(String otherwise, Node.Condition condition, Runnable report) {
    if (!waiting.await(condition, report)) {
      Requests.stopWhenInterrupted();
      throw new TimeoutException(
          otherwise + " within " + timeout.toMillis() + " ms; trying again is safe");
    }
  }
}
