package io.cantle.core.node;

import io.cantle.GridConfig;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.PartitionHandling;
import org.jspecify.annotations.Nullable;

/**
 * The messages with which a node refuses to join, to open a cache, or to continue. Each says what
 * failed, why, and what to do.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ErrorTexts {
  private final GridConfig config;
  private final String nodeName;

  ErrorTexts(GridConfig config, String nodeName) {
    this.config = config;
    this.nodeName = nodeName;
  }

  /**
   * The node was not admitted in time.
   *
   * @param incompatiblePeer a node of another release, and both versions; null if none was met
   * @param trouble what kept the node from joining; empty if that is not known
   */
  String notJoined(@Nullable String incompatiblePeer, String trouble) {
    return "node "
        + nodeName
        + " did not join grid \""
        + config.name()
        + "\" within "
        + config.limits().timeout().toMillis()
        + " ms; "
        + (incompatiblePeer != null
            ? incompatiblePeer
                + ": the nodes of a grid have one release, or one and the release before it"
            : !trouble.isEmpty()
                ? trouble
                : "a new grid begins once "
                    + config.membership().initialMembers()
                    + " nodes see each other (GridConfig.initialMembers)");
  }

  /** The grid was founded with another {@link GridConfig#whenCut}. */
  String whenCutMismatch(PartitionHandling gridMode) {
    return "grid \""
        + config.name()
        + "\" was founded with whenCut "
        + gridMode.text()
        + " and cannot be joined with "
        + PartitionHandling.of(config.membership().whenCut()).text()
        + "; set GridConfig.whenCut to the value of the grid, or join a grid of another name";
  }

  /** The node was in a grid, and met one that it cannot be part of. */
  String servesNoMore(String reason) {
    return "node " + nodeName + " serves no more requests: " + reason;
  }

  /** Two grids with data have met. */
  String otherGridWithData() {
    return "node "
        + nodeName
        + " met another grid named \""
        + config.name()
        + "\" that has data too; it serves no more requests: restart it to join the other grid";
  }

  /** The store could not be written. */
  String storeFailed(Throwable reason) {
    return "node "
        + nodeName
        + " has left its grid because its store"
        + (config.store().directory() == null ? "" : " in " + config.store().directory())
        + " failed: "
        + reason.getMessage()
        + "; check the disk, and start the node again";
  }

  /** The heap is exhausted. */
  String outOfMemory(long heapBytes) {
    return "node "
        + nodeName
        + " has left its grid because it ran out of memory, with a heap of "
        + (heapBytes >> 20)
        + " MiB: its sockets are closed, and others continue without it; give it a larger heap"
        + " (-Xmx), or the grid more nodes, and start it again";
  }

  /** Grids that serve both sides of a partition have no durable caches. */
  static String durableInAvailableGrid(CacheDefinition definition) {
    return toBeKept(definition)
        + " and the grid has WhenCut.available: nodes that restart without the others would begin"
        + " it empty, and so drop what the others have on disk; use WhenCut.stop or oldestDecides,"
        + " or Durability.NONE";
  }

  /** No member has a store. */
  static String durableWithoutStore(CacheDefinition definition) {
    return toBeKept(definition) + " and no node of the grid has a store: set GridConfig.store";
  }

  private static String toBeKept(CacheDefinition definition) {
    return "cache \""
        + definition.name()
        + "\" is to be kept on disk ("
        + definition.config().durability()
        + ")";
  }
}
