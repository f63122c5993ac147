package io.cantle.core.rebalance;

import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.ReplicaLogSummary;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.MessageVectors;
import io.cantle.core.wire.WireFormatPage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the messages with writes of an earlier epoch keep their bytes. */
final class RecoveryVectorsTest {
  private static final SegmentEpoch SEGMENT = new SegmentEpoch(1, 300, 9);
  private static final List<OrderedWrite> WRITES =
      List.of(
          new OrderedWrite.ExpiryTick(8, 303, 5_000), new OrderedWrite.ExpiryTick(8, 304, 6_000));
  private static final ReplicaLogSummary LOG = new ReplicaLogSummary(3, 8, 304, WRITES, 6_000);

  private static MessageVectors.Reader reader(MessageKind kind) {
    return kind == MessageKind.CATCH_UP
        ? in -> CatchUpBatch.read(in, 7)
        : in -> EpochEntryReport.read(in, 7);
  }

  @Test
  void messagesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    CatchUpBatch batch = new CatchUpBatch(SEGMENT, 8, WRITES);
    WireFormatPage.checkFields(batch);
    WireFormatPage.checkFields(
        new EpochEntryReport(List.of(new EpochEntryReport.SegmentLog(SEGMENT, LOG))),
        EpochEntryReport.SegmentLog.class);
    MessageVectors.check(
        "recovery-vectors.txt",
        List.of(
            batch,
            new CatchUpBatch(SEGMENT, 8, List.of()),
            new EpochEntryReport(
                List.of(
                    new EpochEntryReport.SegmentLog(SEGMENT, LOG),
                    new EpochEntryReport.SegmentLog(
                        new SegmentEpoch(0, 0, 1), new ReplicaLogSummary(0, 0, 0, List.of(), -1)))),
            new EpochEntryReport(List.of())),
        RecoveryVectorsTest::reader);
  }

  @Test
  void messagesOfTheBuildBeforeTheRecordsAreReadAndWrittenAgain() {
    Stream.of(MessageKind.CATCH_UP, MessageKind.EPOCH_ENTERED)
        .flatMap(kind -> MessageVectors.captured(kind).stream())
        .forEach(line -> MessageVectors.checkReadAndWritten(line, RecoveryVectorsTest::reader));
  }
}
