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
    permits CallMessage, RebalanceMessage, ReplicationMessage, ScanMessage {

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedException if the bytes are not exactly a message of this kind
   */
  static WireMessage read(MessageKind kind, Input in) {
    WireMessage message =
        switch (kind) {
          case READ -> CallMessage.ReadRequest.read(in);
          case MERGED_REQUEST -> CallMessage.MergeStatusRequest.read(in);
          case ACK -> ReplicationMessage.Acknowledgement.read(in);
          case ACK_REQUEST -> ReplicationMessage.AcknowledgementRequest.read(in);
          case COMMITTED -> ReplicationMessage.CommitNotice.read(in);
          case COMMITTED_REQUEST -> ReplicationMessage.CommitQuery.read(in);
          case ENTER_EPOCH -> RebalanceMessage.EpochEntryRequest.read(in);
          case CAUGHT_UP -> RebalanceMessage.CatchUpNotice.read(in);
          case TRANSFER -> RebalanceMessage.TransferRequest.read(in);
          case PULL, REDUCE, COUNT -> ScanMessage.Request.read(kind, in);
          case CANCEL -> ScanMessage.Cancellation.read(in);
          default -> throw new IllegalArgumentException(kind + " has no record yet");
        };
    if (in.remaining() > 0) {
      throw new MalformedException(in.remaining() + " bytes are left after a message " + kind);
    }
    return message;
  }
}
