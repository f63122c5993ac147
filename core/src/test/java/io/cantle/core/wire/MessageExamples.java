package io.cantle.core.wire;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * Messages of each kind that has a record: the shortest, and one that has everything.
 *
 * <p><b>Threading:</b> immutable.
 */
final class MessageExamples {
  private static final SegmentEpoch SEGMENT = new SegmentEpoch(1, 300, 7);
  private static final SegmentCursor CURSOR =
      new SegmentCursor(0x1122334455667788L, bytes("key"), SegmentCursor.CursorKind.AFTER);
  private static final UUID ID = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);

  static final List<Message> ALL =
      List.of(
          new CallMessage.ReadRequest(42, 1, 300, true, slice("key")),
          new CallMessage.ReadRequest(0, 0, 0, false, slice("")),
          new CallMessage.BulkReadRequest(
              42,
              1,
              List.of(
                  new CallMessage.SegmentKey(300, slice("key")),
                  new CallMessage.SegmentKey(0, slice("")))),
          new CallMessage.BulkReadRequest(0, 0, List.of()),
          new CallMessage.MergeStatusRequest(ID, 1, 300, 2, 9, true, List.of(4, 300)),
          new ReplicationMessage.Acknowledgement(List.of(new SegmentIndex(1, 300, 7, 1L << 40))),
          new ReplicationMessage.Acknowledgement(
              List.of(new SegmentIndex(0, 0, 1, 0), new SegmentIndex(0, 1, 1, 128))),
          new ReplicationMessage.AcknowledgementRequest(SEGMENT),
          new ReplicationMessage.CommitNotice(
              List.of(new SegmentIndex(0, 0, 1, 0), new SegmentIndex(1, 300, 7, 5))),
          new ReplicationMessage.CommitNotice(List.of()),
          new ReplicationMessage.CommitQuery(List.of(SEGMENT, new SegmentEpoch(0, 0, 1))),
          new ReplicationMessage.HeapNotice(true, 1L << 30, 300),
          new ReplicationMessage.HeapNotice(false, 0, 1),
          new RebalanceMessage.EpochEntryRequest(
              42,
              List.of(
                  new RebalanceMessage.EnteredSegment(SEGMENT, 6, 1_000),
                  new RebalanceMessage.EnteredSegment(new SegmentEpoch(0, 0, 1), 0, 0))),
          new RebalanceMessage.CatchUpNotice(SEGMENT),
          new ScanMessage.Request(42, 0, new TransferRequest(SEGMENT, CURSOR)),
          new ScanMessage.Request(42, 3, new TransferRequest(SEGMENT, SegmentCursor.START)),
          new ScanMessage.Request(
              42,
              3,
              new PullRequest(
                  1,
                  PullRequest.EntryPart.VALUE,
                  bytes("task"),
                  1 << 20,
                  true,
                  1_024,
                  false,
                  List.of(
                      new ScanTarget(300, CURSOR),
                      new ScanTarget(0, SegmentCursor.START, List.of(bytes("a"), bytes("bc")))))),
          new ScanMessage.Request(
              42,
              0,
              new PullRequest(0, PullRequest.EntryPart.ENTRY, null, 1, false, 1, true, List.of())),
          new ScanMessage.Request(
              42,
              3,
              new FunctionChain(List.of(7L)),
              new ReduceRequest(
                  1,
                  bytes("task"),
                  true,
                  false,
                  32 << 20,
                  List.of(new ScanTarget(300, SegmentCursor.END)))),
          new ScanMessage.Request(
              42, 3, new ScanMessage.CountRequest(1, SegmentSet.of(0, 1, 2, 300))),
          new ScanMessage.Cancellation(1_000));

  private MessageExamples() {}

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static ByteSlice slice(String text) {
    return ByteSlice.of(bytes(text));
  }
}
