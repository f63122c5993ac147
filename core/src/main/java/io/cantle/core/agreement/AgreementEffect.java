package io.cantle.core.agreement;

import io.cantle.core.agreement.AgreementJournal.AgreementRecord;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import java.util.List;

/**
 * What is to be done after a step of the {@link TopologyRegister} or the {@link LeaseRenewer}, one
 * after the other.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface AgreementEffect {
  /** Sends a message. */
  record Send(List<Member> to, Message message) implements AgreementEffect {}

  /** Sends a decided topology. */
  record SendTopology(List<Member> to, Topology topology) implements AgreementEffect {}

  /** Records what an answer promises, and sends it once the record is on disk. */
  record SendAnswer(AgreementRecord record, Member to, RegisterMessage message)
      implements AgreementEffect {}

  /** Records the topology that this node has adopted. */
  record SaveAdopted(AgreementRecord record) implements AgreementEffect {}

  /** Has the register take an event after a time. */
  record DelayEvent(long waitNanos, RegisterEvent.DelayEnded end) implements AgreementEffect {}

  /** Reports that a topology is decided. */
  record Decide(Topology topology) implements AgreementEffect {}

  /**
   * Gives up answering for now: this node is about to agree to its own exclusion, and answers
   * nothing until that is settled.
   */
  record RenounceLease() implements AgreementEffect {}

  /**
   * Ends the endless lease of an only voter. It is about to accept other voters, and before any
   * node can hear of them its lease is one like any other.
   */
  record LimitLease() implements AgreementEffect {}

  /** Tells people how much of the time that passed at a voter this node has missed. */
  record ReportMissedTime(Member voter, long missedNanos) implements AgreementEffect {}

  /** Reports that this node may propose. */
  record BecomeReady() implements AgreementEffect {}
}
