package io.cantle.core.discovery;

import io.cantle.core.transport.Member;

/**
 * What happens to the {@link DiscoveryHandler}.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface DiscoveryEvent {
  /** A message has arrived. */
  record DiscoveryMessageReceived(Member from, DiscoveryMessage message)
      implements DiscoveryEvent {}

  /** The nodes in view are to be asked whether they have a grid, or told of this one. */
  record ContactDue() implements DiscoveryEvent {}

  /** This node is to show how far its store has come. */
  record HistoryDue() implements DiscoveryEvent {}
}
