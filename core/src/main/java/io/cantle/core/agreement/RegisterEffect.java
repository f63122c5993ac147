package io.cantle.core.agreement;

import io.cantle.core.agreement.AgreementJournal.AgreementRecord;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * What is to be done after a step of the {@link TopologyRegister}, one after the other.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface RegisterEffect {
  /** Sends a message. */
  record Send(List<Member> to, RegisterMessage message) implements RegisterEffect {}

  /** Sends a decided topology. */
  record SendTopology(List<Member> to, Topology topology) implements RegisterEffect {}

  /** Records what an answer promises, and sends it once the record is on disk. */
  record Answer(AgreementRecord record, Member to, RegisterMessage message)
      implements RegisterEffect {}

  /** Records the topology that this node has adopted. */
  record SaveAdopted(AgreementRecord record) implements RegisterEffect {}

  /** Has the register take an event after a time. */
  record Hold(long waitNanos, RegisterEvent.HoldEnded end) implements RegisterEffect {}

  /** Reports that a topology is decided. */
  record Decide(Topology topology) implements RegisterEffect {}

  /** Reports that this node may propose. */
  record BecomeReady() implements RegisterEffect {}
}
