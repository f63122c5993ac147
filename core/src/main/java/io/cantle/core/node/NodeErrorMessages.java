package io.cantle.core.node;

import io.cantle.GridConfig;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.PartitionHandling;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The messages with which a node refuses to join, to open a cache, or to continue. Each says what
 * failed, why, and what to do.
 *
 * <p><b>Threading:</b> immutable.
 */
final class NodeErrorMessages {
  private final GridConfig config;
  private final String nodeName;

  NodeErrorMessages(GridConfig config, String nodeName) {
    this.config = config;
    this.nodeName = nodeName;
  }

  /** The node was not admitted in time; {@code joinState} says what it saw. */
  String notJoined(String joinState) {
    return "node %s did not join grid \"%s\" within %s ms (GridConfig.timeout): %s"
        .formatted(nodeName, config.name(), config.limits().timeout().toMillis(), joinState);
  }

  /** The node is not admitted yet; {@code joinState} says what it sees. */
  String stillJoining(String joinState) {
    return "node %s has not joined grid \"%s\" yet: %s"
        .formatted(nodeName, config.name(), joinState);
  }

  /**
   * What a node that is not admitted sees, and what it waits for.
   *
   * @param others the other nodes that it sees
   * @param incompatiblePeer a node of another release, and both versions; null if none was met
   * @param trouble what keeps the node from joining; empty if that is not known
   */
  String joinState(List<String> others, @Nullable String incompatiblePeer, String trouble) {
    int initialMembers = config.membership().initialMembers();
    String seen =
        others.isEmpty()
            ? "it sees no other node " + describeSearch()
            : "it sees " + MembershipReporter.shorten(others);
    String reason;
    if (incompatiblePeer != null) {
      reason =
          incompatiblePeer
              + ": the nodes of a grid have one release, or one and the release before it";
    } else if (!trouble.isEmpty()) {
      reason = trouble;
    } else if (others.size() + 1 < initialMembers) {
      reason =
          "a new grid begins once %s nodes see each other (GridConfig.initialMembers)"
              .formatted(initialMembers);
    } else {
      reason = "no grid has admitted it, and it has not founded one";
    }
    return seen + "; " + reason;
  }

  /** Where a node looks for others, and which setting says so. */
  private String describeSearch() {
    GridConfig.NetworkSettings network = config.network();
    if (!network.seeds().isEmpty()) {
      return network.seeds().stream()
          .map(seed -> seed.getHostString() + ":" + seed.getPort())
          .collect(Collectors.joining(", ", "at ", " (GridConfig.seeds)"));
    }
    return network.port() == 0
        ? "and has no place to look for any (GridConfig.seeds)"
        : "at %s, ports %s to %s (GridConfig.ports)"
            .formatted(
                network.bindAddress().getHostAddress(),
                network.port(),
                network.port() + network.portRange());
  }

  /** The grid was founded with another {@link GridConfig#whenCut}. */
  String whenCutMismatch(PartitionHandling gridMode) {
    String mode = PartitionHandling.of(config.membership().whenCut()).text();
    return "grid \"%s\" was founded with whenCut %s and cannot be joined with %s; set"
            .formatted(config.name(), gridMode.text(), mode)
        + " GridConfig.whenCut to the value of the grid, or join a grid of another name";
  }

  /** The node was in a grid, and met one that it cannot be part of. */
  String servesNoMore(String reason) {
    return "node " + nodeName + " serves no more requests: " + reason;
  }

  /** Two grids with data have met. */
  String otherGridWithData() {
    return "node %s met another grid named \"%s\" that has data too; it serves no more requests:"
            .formatted(nodeName, config.name())
        + " restart it to join the other grid";
  }

  /** The node was closed by its user. */
  String closed() {
    return ClosedNodeGuard.closedText(nodeName);
  }

  /** The store could not be written. */
  String storeFailed(Throwable reason) {
    Path folder = config.store().directory();
    String where = folder == null ? "" : " in " + folder;
    return "node %s has left its grid because its store%s failed: %s; check the disk, and start"
            .formatted(nodeName, where, reason.getMessage())
        + " the node again";
  }

  /** The heap is exhausted. */
  String outOfMemory(long heapBytes) {
    return "node %s has left its grid because it ran out of memory, with a heap of %s MiB: its"
            .formatted(nodeName, heapBytes >> 20)
        + " sockets are closed, and others continue without it; give it a larger heap (-Xmx), or"
        + " the grid more nodes, and start it again";
  }

  /** Grids that serve both sides of a partition have no durable caches. */
  static String durableInAvailableGrid(CacheDefinition definition) {
    return toBeKept(definition)
        + " and the grid has WhenCut.available: nodes that restart without the others would begin"
        + " it empty, and so drop what the others have on disk; use WhenCut.stop or oldestDecides,"
        + " or Durability.NONE";
  }

  /** A scattered cache is not in an available grid. */
  static String scatteredInAvailableGrid(CacheDefinition definition) {
    return "cache \"%s\" is scattered and the grid has WhenCut.available: a node that is cut off has"
            .formatted(definition.name())
        + " only some copies, and could not go on with them; use CacheMode.DISTRIBUTED, or"
        + " WhenCut.stop or oldestDecides";
  }

  /** No member has a store. */
  static String durableWithoutStore(CacheDefinition definition) {
    return toBeKept(definition) + " and no node of the grid has a store: set GridConfig.store";
  }

  private static String toBeKept(CacheDefinition definition) {
    return "cache \"%s\" is to be kept on disk (%s)"
        .formatted(definition.name(), definition.config().durability());
  }
}
