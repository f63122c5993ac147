package io.cantle.core.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.ClockReading;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.MessageVectors;
import io.cantle.core.wire.WireFormatPage;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the messages by which voters agree keep their bytes. */
final class AgreementVectorsTest {
  private static final Member A = ManualNetwork.member("a");
  private static final Member B = ManualNetwork.member("b");
  private static final Topology TOPOLOGY = TopologyFixture.founded(A, B);
  private static final Topology WITH_CACHE =
      new Topology(
          2,
          TOPOLOGY.gridDefinition(),
          TOPOLOGY.membership(),
          CacheCatalog.of(
              List.of(
                  new Topology.CacheOwnership(
                      0,
                      0,
                      new CacheDefinition("c", CacheConfig.local().segments(1)),
                      List.of(SegmentOwnership.empty(1, List.of(A), List.of()))))));
  private static final Ballot BALLOT = new Ballot(300, new UUID(0x0102030405060708L, 9));
  private static final ClockReading READING = new ClockReading(1L << 40, 1_700_000_000_000L, 77);
  private static final List<Message> MESSAGES =
      List.of(
          new RegisterMessage.Prepare(BALLOT, TOPOLOGY),
          new RegisterMessage.Promised(1, BALLOT, new Ballot(2, A.id()), TOPOLOGY),
          new RegisterMessage.Promised(1, BALLOT, Ballot.NONE, null),
          new RegisterMessage.Accept(BALLOT, TOPOLOGY, 1_500_000_000L),
          new RegisterMessage.Accepted(2, BALLOT),
          new RegisterMessage.Rejected(BALLOT),
          new RegisterMessage.Decided(2, BALLOT),
          TOPOLOGY,
          new MemberReport.SegmentReceived(new SegmentEpoch(3, 4_095, Integer.MAX_VALUE)),
          new MemberReport.LeaveRequested(),
          new MemberReport.CacheRequested(
              new CacheDefinition("c", CacheConfig.local().segments(1)), 42),
          new MemberReport.WriteRequested(),
          new MemberReport.SuspensionRequested(true, 7),
          new MemberReport.LossAccepted(new SegmentEpoch(9_999, 9, 3)),
          new MemberReport.MemberUnresponsive(new UUID(4, 5)),
          new MemberReport.EpochOpened(new SegmentEpoch(1, 2, 3)),
          new MemberReport.ReplicaDropped(new SegmentEpoch(1, 2, 3)),
          new MemberReport.DestroyRequested(new UUID(1, 2), 300),
          new LeaseMessage.LeaseRequest(READING, 42, 7, true, false, true, false),
          new LeaseMessage.LeaseGrant(
              READING,
              7,
              new LeaseMessage.PreviousRequest(READING, 250_000_000),
              List.of(A.id(), B.id())),
          new LeaseMessage.LeaseGrant(READING, 7, null, List.of()));

  private static MessageVectors.Reader reader(MessageKind kind) {
    return switch (kind) {
      case RENEW_LEASE, LEASE_RENEWED -> in -> LeaseMessage.read(kind, in);
      case REPORT -> MemberReport::read;
      case TOPOLOGY -> one -> one.requireEndAfter(Topology.read(one));
      default -> in -> RegisterMessage.read(kind, in);
    };
  }

  @Test
  void messagesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    MessageVectors.check("agreement-vectors.txt", MESSAGES, AgreementVectorsTest::reader);
  }

  @Test
  void messagesOfTheBuildBeforeTheRecordsAreReadAndWrittenAgain() {
    MESSAGES.stream()
        .flatMap(message -> MessageVectors.captured(message.kind()).stream())
        .forEach(line -> MessageVectors.checkReadAndWritten(line, AgreementVectorsTest::reader));
  }

  @Test
  void pageListsTheFields() {
    // The last one lacks most of its fields.
    MESSAGES.reversed().stream()
        .skip(1)
        .filter(message -> message.kind() != MessageKind.REPORT)
        .map(message -> message.kind() == MessageKind.TOPOLOGY ? WITH_CACHE : message)
        .forEach(message -> WireFormatPage.checkFields(message));
  }

  @Test
  void everyReportHasAVector() {
    assertThat(MESSAGES.stream().map(message -> message.getClass().getName()))
        .containsAll(
            Stream.of(MemberReport.class.getPermittedSubclasses()).map(Class::getName).toList());
  }
}
