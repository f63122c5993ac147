package io.cantle.core.wire;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;

/**
 * A message with all its fields: a record, which says how it is written and read. A record that is
 * not handled does not compile.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface WireMessage extends Message
    permits CallMessage, RebalanceMessage, ReplicationMessage, ScanMessage.Cancellation {

  @Override
  default MessageKind kind() {
    return switch (this) {
      case CallMessage.ReadRequest _ -> MessageKind.READ;
      case CallMessage.BulkReadRequest _ -> MessageKind.BULK_READ;
      case CallMessage.MergeStatusRequest _ -> MessageKind.MERGED_REQUEST;
      case ReplicationMessage.Acknowledgement _ -> MessageKind.ACK;
      case ReplicationMessage.AcknowledgementRequest _ -> MessageKind.ACK_REQUEST;
      case ReplicationMessage.CommitNotice _ -> MessageKind.COMMITTED;
      case ReplicationMessage.CommitQuery _ -> MessageKind.COMMITTED_REQUEST;
      case ReplicationMessage.HeapNotice _ -> MessageKind.HEAP;
      case RebalanceMessage.EpochEntryRequest _ -> MessageKind.ENTER_EPOCH;
      case RebalanceMessage.CatchUpNotice _ -> MessageKind.CAUGHT_UP;
      case ScanMessage.Cancellation _ -> MessageKind.CANCEL;
    };
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedException if the bytes are not exactly a message of this kind
   */
  static WireMessage read(MessageKind kind, Input in) {
    return in.requireEndAfter(
        switch (kind) {
          case READ -> CallMessage.ReadRequest.read(in);
          case BULK_READ -> CallMessage.BulkReadRequest.read(in);
          case MERGED_REQUEST -> CallMessage.MergeStatusRequest.read(in);
          case ACK -> ReplicationMessage.Acknowledgement.read(in);
          case ACK_REQUEST -> ReplicationMessage.AcknowledgementRequest.read(in);
          case COMMITTED -> ReplicationMessage.CommitNotice.read(in);
          case COMMITTED_REQUEST -> ReplicationMessage.CommitQuery.read(in);
          case HEAP -> ReplicationMessage.HeapNotice.read(in);
          case ENTER_EPOCH -> RebalanceMessage.EpochEntryRequest.read(in);
          case CAUGHT_UP -> RebalanceMessage.CatchUpNotice.read(in);
          case CANCEL -> ScanMessage.Cancellation.read(in);
          case PULL, REDUCE, COUNT, TRANSFER ->
              throw new IllegalArgumentException(kind + " is read once it is admitted");
          case WRITE, BULK_WRITE, REPLICATE, REPLICATE_COPY, EPOCH_ENTERED, CATCH_UP, RESPONSE ->
              throw new IllegalArgumentException(kind + " has its record further up");
          case COLLECT, COLLECTED, UPDATE_COPIES, COPIES_UPDATED ->
              throw new IllegalArgumentException(kind + " has its record further up");
          case HELLO,
              JOIN,
              TOPOLOGY,
              PREPARE,
              PROMISED,
              ACCEPT,
              ACCEPTED,
              REJECTED,
              DECIDED,
              RENEW_LEASE,
              LEASE_RENEWED,
              REPORT,
              CUT_OFF,
              REFUSED,
              HISTORY ->
              throw new IllegalArgumentException(kind + " is about topologies");
        });
  }
}
