package io.cantle.core.replica;

import io.cantle.core.replica.OrderedWrite.OriginNotice;
import io.cantle.core.replica.ReplicationBatch.SegmentWrite;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.MessageVectors;
import io.cantle.core.wire.WireFormatPage;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests that messages with writes for other writers keep their bytes. */
final class ReplicationBatchTest {
  private static final CommandId COMMAND =
      new CommandId(new SessionId(new UUID(1, 2), 5), 1_000, 998, 77, 3);

  private static MessageVectors.Reader reader(MessageKind kind) {
    return in -> ReplicationBatch.read(in, ManualReplica.SEED);
  }

  private static SegmentWrite write(OrderedWrite write, OriginNotice notice) {
    return new SegmentWrite(300, 9, 4, notice, write, false);
  }

  @Test
  void batchesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    OrderedWrite put =
        new OrderedWrite.CommandWrite(
            ManualReplica.entry("key", "value", 9, 300), COMMAND, OperationResult.TRUE);
    OrderedWrite touch = new OrderedWrite.TouchWrite(ManualReplica.entry("key", "value", 9, 301));
    OrderedWrite retained =
        new OrderedWrite.RetainedVersion(ManualReplica.entry("key", "value", 9, 302));
    OriginNotice result = new OriginNotice(OriginNotice.NoticeKind.ACKNOWLEDGE_WITH_RESULT, 0, 2);
    OriginNotice held = new OriginNotice(OriginNotice.NoticeKind.ACKNOWLEDGE, 1, 2);
    ReplicationBatch first = new ReplicationBatch(1, List.of(write(put, result)));
    WireFormatPage.checkFields(first, SegmentWrite.class);
    MessageVectors.check(
        "log-vectors.txt",
        List.of(
            first,
            new ReplicationBatch(
                1,
                List.of(
                    write(put, held),
                    write(touch, OriginNotice.NONE),
                    write(retained, OriginNotice.NONE),
                    write(new OrderedWrite.ExpiryTick(9, 303, 5_000), OriginNotice.NONE))),
            new ReplicationBatch(0, List.of())),
        ReplicationBatchTest::reader);
  }

  @Test
  void secondCopiesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    OrderedWrite put =
        new OrderedWrite.CommandWrite(
            ManualReplica.entry("key", "value", 9, 300), COMMAND, OperationResult.TRUE);
    CopyChain chain =
        new CopyChain(
            298, List.of(new CopyChain.ReplacedCommand(COMMAND, 299, OperationResult.TRUE)));
    OriginNotice result = new OriginNotice(OriginNotice.NoticeKind.ACKNOWLEDGE_WITH_RESULT, 0, 1);
    MessageVectors.check(
        "scattered-log-vectors.txt",
        List.of(
            new ReplicationBatch(
                1,
                List.of(
                    new SegmentWrite(300, 9, 4, result, put, false, chain),
                    new SegmentWrite(
                        300,
                        9,
                        4,
                        OriginNotice.NONE,
                        new OrderedWrite.ExpiryTick(9, 301, 5_000),
                        false,
                        new CopyChain(300, List.of()))),
                true)),
        kind -> in -> ReplicationBatch.read(in, ManualReplica.SEED, true));
  }

  @Test
  void batchesOfTheBuildBeforeTheRecordsAreReadAndWrittenAgain() {
    for (String line : MessageVectors.captured(MessageKind.REPLICATE)) {
      ReplicationBatch batch =
          (ReplicationBatch) MessageVectors.read(line, ReplicationBatchTest::reader);
      // A result that was left out is not known to the reader, who takes it from its own entry.
      if (batch.writes().stream().noneMatch(write -> write.isResultPrevious())) {
        MessageVectors.checkReadAndWritten(line, ReplicationBatchTest::reader);
      }
    }
  }
}
