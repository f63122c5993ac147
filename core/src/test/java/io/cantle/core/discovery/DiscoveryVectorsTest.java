package io.cantle.core.discovery;

import io.cantle.core.discovery.DiscoveryMessage.HelloMessage;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.discovery.DiscoveryMessage.JoinRequest;
import io.cantle.core.discovery.DiscoveryMessage.StoreHistoryReport;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.CutOffNotice;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.MessageVectors;
import io.cantle.core.wire.WireFormatPage;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the messages by which nodes find into a grid keep their bytes. */
final class DiscoveryVectorsTest {
  private static final UUID ID = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
  private static final UUID OTHER = new UUID(1, 2);

  private static final List<Message> MESSAGES =
      List.of(
          new HelloMessage(
              ID,
              true,
              1_700_000_000_000L,
              true,
              true,
              new GridLineage(
                  List.of(
                      new GridLineage.ForkStep(OTHER, 300, 2),
                      new GridLineage.ForkStep(ID, 7, 1, List.of(OTHER)))),
              PartitionHandling.NEWER),
          new HelloMessage(
              Topology.NONE.gridId(),
              false,
              0,
              false,
              false,
              GridLineage.NONE,
              PartitionHandling.STOP),
          new JoinRequest(ID, MemberCapacity.of(2.5, "rack"), PartitionHandling.STOP),
          new JoinRequest(Topology.NONE.gridId(), MemberCapacity.DEFAULT, PartitionHandling.STOP),
          new CutOffNotice(ID, 300),
          new JoinRefusal(JoinRefusal.Reason.OUTDATED, ID, OTHER, ID, true, "an old copy"),
          new JoinRefusal(JoinRefusal.Reason.CUT_OFF, ID, OTHER, OTHER, false, ""),
          new StoreHistoryReport(
              true,
              new StoreHistory(
                  List.of(
                      new StoreHistory.StoreIncarnation(OTHER, 0, 300),
                      new StoreHistory.StoreIncarnation(ID, 1, 0)))),
          new StoreHistoryReport(false, StoreHistory.NONE));

  private static MessageVectors.Reader reader(MessageKind kind) {
    return kind == MessageKind.CUT_OFF ? CutOffNotice::read : in -> DiscoveryMessage.read(kind, in);
  }

  @Test
  void messagesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    for (int index : List.of(0, 2, 4, 5, 7)) {
      WireFormatPage.checkFields(
          MESSAGES.get(index), StoreHistory.class, StoreHistory.StoreIncarnation.class);
    }
    MessageVectors.check("discovery-vectors.txt", MESSAGES, DiscoveryVectorsTest::reader);
  }

  @Test
  void messagesOfTheBuildBeforeTheRecordsAreReadAndWrittenAgain() {
    Stream.of(
            MessageKind.HELLO,
            MessageKind.JOIN,
            MessageKind.CUT_OFF,
            MessageKind.REFUSED,
            MessageKind.HISTORY)
        .flatMap(kind -> MessageVectors.captured(kind).stream())
        .forEach(line -> MessageVectors.checkReadAndWritten(line, DiscoveryVectorsTest::reader));
  }
}
