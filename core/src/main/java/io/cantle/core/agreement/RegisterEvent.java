package io.cantle.core.agreement;

import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;

/**
 * What happens to the {@link TopologyRegister}.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface RegisterEvent {
  /** A message has arrived. The topology that a round starts from is adopted before. */
  record MessageReceived(Member from, RegisterMessage message) implements RegisterEvent {}

  /** A topology that was held back may be accepted now. */
  record DelayEnded(Member from, RegisterMessage.Accept request) implements RegisterEvent {}

  /** This node acts by another topology, or by none. That ends the round. */
  record TopologyAdopted(Topology current) implements RegisterEvent {}

  /** This node is to lead, with a ballot above all that it has seen. */
  record LeadRequested() implements RegisterEvent {}

  /** This node, which is {@linkplain TopologyRegister#isReady ready}, proposes a topology. */
  record TopologyProposed(Topology next) implements RegisterEvent {}

  /** Requests that voters have not answered are to be repeated. */
  record ResendDue() implements RegisterEvent {}
}
