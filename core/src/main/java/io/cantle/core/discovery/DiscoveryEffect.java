package io.cantle.core.discovery;

import io.cantle.GridConfig;
import io.cantle.core.base.Output;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * What is to be done after a step of discovery, one after the other. An effect may take the node to
 * another topology, so what depends on that is an effect or an event of its own.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface DiscoveryEffect {
  /** Sends a message. */
  record SendDiscoveryMessage(Member to, DiscoveryMessage message) implements DiscoveryEffect {}

  /**
   * Sends a node the topology adopted last, if there is one. A node that is to be refused believes
   * a refusal only from members that it knows of, and may have been away since before this node
   * joined.
   */
  record ShowTopology(Member to) implements DiscoveryEffect {}

  /** Enters a grid that this node founds with these nodes, and leads it. */
  record CreateGrid(List<Member> founders) implements DiscoveryEffect {}

  /** Ends this grid, if this node leads it, so that its members join another. */
  record EndGrid() implements DiscoveryEffect {}

  /** Gives this grid up for another. Afterwards this node is like a new one. */
  record GiveUpGrid() implements DiscoveryEffect {}

  /** Has discovery take an event in the state that the effects before this one have led to. */
  record TakeEvent(DiscoveryEvent event) implements DiscoveryEffect {}

  /** Plans the next topology soon, because there is a request. */
  record ScheduleProposal() implements DiscoveryEffect {}

  /** Ends this node's vote and its right to answer for good. */
  record Fence() implements DiscoveryEffect {}

  /** Saves the history of this node's store. */
  record SaveHistory(StoreHistory history) implements DiscoveryEffect {}

  /** Saves the record of how far the stores of other nodes have come. */
  record SaveOthers(Output record) implements DiscoveryEffect {}

  /** Reports a grid that this node cannot be part of. */
  sealed interface ForeignGridReport extends DiscoveryEffect {}

  /** This node's grid cannot merge with it. */
  record ReportForeignGrid() implements ForeignGridReport {}

  /** It was founded with another {@link GridConfig#whenCut}. */
  record ReportPartitionHandling(PartitionHandling gridMode) implements ForeignGridReport {}

  /** It refuses this node with the store it has. */
  record ReportStoreRefusal(JoinRefusal refusal) implements ForeignGridReport {}

  /** Tells people something. */
  record ReportText(System.Logger.Level level, String text) implements DiscoveryEffect {}
}
