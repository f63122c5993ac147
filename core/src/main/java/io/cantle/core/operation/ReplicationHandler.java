package io.cantle.core.operation;

import io.cantle.core.base.Input;
import io.cantle.core.replica.ApplyResult;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.DurabilityBarrier;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicationBatch;
import io.cantle.core.replica.ReplicationBatch.SegmentWrite;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ReplicationMessage.Acknowledgement;
import io.cantle.core.wire.SegmentIndex;
import java.util.ArrayList;
import java.util.List;

/**
 * The backup's and joiner's side of writes: applies what the primary has ordered, acknowledges to
 * the primary and notifies the origin.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class ReplicationHandler {
  private final ReplicaContext context;
  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;

  /** Creates the handler for these replicas. */
  public ReplicationHandler(ReplicaContext context) {
    this.context = context;
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
  }

  /**
   * Applies writes from a primary.
   *
   * @param isScattered whether this node holds their second copies
   */
  public void onReplicate(Member from, Input in, boolean isScattered) {
    if (!topologyDriver.current().gridDefinition().isWritten()) {
      topologyDriver.recordWrite();
    }
    long gridTag = messaging.gridTag();
    ReplicationBatch batch =
        ReplicationBatch.read(in, topologyDriver.current().hashSeed(), isScattered);
    List<PendingAck> pendingAcks = List.of();
    List<SegmentIndex> acks = new ArrayList<>(1);
    List<SegmentWrite> writes = batch.writes();
    for (int i = 0; i < writes.size(); i++) {
      SegmentWrite write = writes.get(i);
      Replica replica = context.replicas().find(batch.cache(), write.segment());
      ApplyResult applied = replica == null ? null : replica.applyReplicated(write);
      if (replica != null && applied != null) {
        replica.performEffects();
        if (replica.barrier().isDelayed()) {
          pendingAcks = pendingAcks.isEmpty() ? new ArrayList<>() : pendingAcks;
          pendingAcks.add(new PendingAck(replica, write, applied));
        } else {
          acknowledge(gridTag, from, replica, write, applied, acks);
        }
      }
    }
    if (!pendingAcks.isEmpty()) {
      acknowledgeOnceDurable(gridTag, from, pendingAcks, acks);
    } else {
      sendAcks(gridTag, from, acks);
    }
  }

  /** A write that was received, and what was applied then: it and others that waited for it. */
  private record PendingAck(Replica replica, SegmentWrite received, ApplyResult applied) {}

  private void acknowledge(
      long gridTag,
      Member primary,
      Replica replica,
      SegmentWrite received,
      ApplyResult applied,
      List<SegmentIndex> acks) {
    for (int i = 0; i < applied.writes().size(); i++) {
      notifyOrigin(applied.writes().get(i));
    }
    int epoch = received.epoch();
    if (received.notice().kind() == OrderedWrite.OriginNotice.NoticeKind.NONE) {
      acks.add(new SegmentIndex(replica.cache(), replica.segment(), epoch, applied.applied()));
    } else {
      context
          .progressExchange()
          .acknowledgeSoon(gridTag, primary, replica, epoch, applied.applied());
    }
  }

  /**
   * Acknowledges all writes of one message once all of them are on disk, unless this node is in
   * another grid by then. That grid may have an epoch of the same number, with other writes.
   */
  private void acknowledgeOnceDurable(
      long gridTag, Member primary, List<PendingAck> arrivals, List<SegmentIndex> acks) {
    DurabilityBarrier.whenAllHeld(
        arrivals.stream().map(PendingAck::replica).toList(),
        () -> {
          if (gridTag == messaging.gridTag()) {
            for (PendingAck pending : arrivals) {
              acknowledge(
                  gridTag, primary, pending.replica, pending.received, pending.applied, acks);
            }
            sendAcks(gridTag, primary, acks);
          }
        });
  }

  private void sendAcks(long gridTag, Member primary, List<SegmentIndex> acks) {
    if (!acks.isEmpty()) {
      messaging.post(gridTag, primary, new Acknowledgement(acks));
    }
  }

  private void notifyOrigin(SegmentWrite received) {
    OrderedWrite.OriginNotice notice = received.notice();
    if (notice.kind() != OrderedWrite.OriginNotice.NoticeKind.NONE
        && received.write() instanceof OrderedWrite.CommandWrite write) {
      OperationResult result =
          notice.kind() == OrderedWrite.OriginNotice.NoticeKind.ACKNOWLEDGE_WITH_RESULT
              ? write.result()
              : null;
      CommandId command = write.command();
      messaging.respond(
          command.origin(),
          command.requestId(),
          new OperationReply.HeldReply(
              received.epoch(), notice.writerIndex(), notice.otherWriterCount(), result));
    }
  }
}
