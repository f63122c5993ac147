package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.partition.MergeBacklog;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.wire.MessageVectors;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that replies to reads and writes keep their bytes. */
final class OperationReplyVectorsTest {
  @Test
  void repliesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    byte[] value = ManualReplica.bytes("value");
    OperationResult result = OperationResult.valueIn(value, 0, value.length);
    Throwable noFrames = new IllegalStateException("no");
    noFrames.setStackTrace(new StackTraceElement[0]);
    byte[] thrown = ThrowableCodec.toBytes(noFrames);
    MessageVectors.check(
        "reply-vectors.txt",
        List.of(
            new OperationReply.RefusedReply(0, false),
            new OperationReply.RefusedReply(300, true),
            new OperationReply.ResultReply(2, result),
            new OperationReply.ResultReply(2, OperationResult.ABSENT),
            new OperationReply.HeldReply(7, 1, 3, result),
            new OperationReply.HeldReply(7, 0, 3, null),
            new OperationReply.ReadReply(new ReadResult(result, 7, 1_000)),
            new OperationReply.ReadReply(ReadResult.NOT_FOUND),
            new OperationReply.FailedReply(2, "node", ByteSlice.of(thrown)),
            new OperationReply.InDoubtReply(2),
            new OperationReply.NoRoomReply(
                2, new WriteRefusal(WriteRefusal.Shortage.ENTRIES_FULL, 300, 300)),
            new OperationReply.NoRoomReply(
                2, new WriteRefusal(WriteRefusal.Shortage.HEAP_FULL, 300, 300, "b"))),
        kind -> OperationReply::read);
  }

  @Test
  void repliesToBulkWritesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    MessageVectors.check(
        "bulk-reply-vectors.txt",
        List.of(
            new BulkWriteReply(true, List.of(), List.of(), List.of(), null),
            new BulkWriteReply(
                false, List.of(0, 299), List.of(8), List.of(7), WriteRefusal.DISK_FULL)),
        kind -> in -> BulkWriteReply.read(in, 300));
  }

  @Test
  void repliesToBulkReadsHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    byte[] value = ManualReplica.bytes("value");
    MessageVectors.check(
        "bulk-read-reply-vectors.txt",
        List.of(
            new BulkReadReply(
                Arrays.asList(
                    OperationResult.valueIn(value, 0, value.length),
                    null,
                    OperationResult.ABSENT))),
        kind -> in -> BulkReadReply.read(in, 3));
  }

  @Test
  void mergeStatusesHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    MessageVectors.check(
        "merge-status-vectors.txt",
        Stream.of(MergeBacklog.MergeStatus.values()).map(MergeStatusReply::new).toList(),
        kind -> MergeStatusReply::read);
  }
}
