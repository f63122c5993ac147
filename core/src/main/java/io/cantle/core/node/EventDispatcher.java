package io.cantle.core.node;

import io.cantle.core.base.Input;
import io.cantle.core.discovery.DiscoveryEffect.ForeignGridReport;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.TopologyListener;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.CallMessage;
import io.cantle.core.wire.RebalanceMessage;
import io.cantle.core.wire.ReplicationMessage;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.WireMessage;
import java.util.List;

/**
 * Passes each message and each topology to the parts of the node that handle it. The parts need the
 * messaging that calls this class, so they are looked up in the node when something arrives.
 *
 * <p><b>Threading:</b> messages on the transport's threads, without waiting; topologies with the
 * lock of the topology driver held, one after the other.
 */
final class EventDispatcher implements MessagingService.Handler, TopologyListener {
  private final Node node;
  private Topology adopted = Topology.NONE;

  /** The same, but not {@link Topology#NONE} again between two grids. */
  private Topology lastFounded = Topology.NONE;

  EventDispatcher(Node node) {
    this.node = node;
  }

  @Override
  public void onMembersChanged(List<Member> members) {
    node.topologyDriver.onViewChange(members);
  }

  @Override
  public void onOutOfMemory(OutOfMemoryError error) {
    node.environment.outOfMemoryHandler().accept(error);
  }

  @Override
  public void handle(MessageKind kind, Member from, long request, Input body) {
    switch (kind) {
      case HELLO, JOIN, REFUSED, HISTORY, CUT_OFF, TOPOLOGY, REPORT, RENEW_LEASE, LEASE_RENEWED ->
          node.topologyDriver.onMessage(kind, from, body);
      case PREPARE, PROMISED, ACCEPT, ACCEPTED, REJECTED, DECIDED ->
          node.topologyDriver.onMessage(kind, from, body);
      case EPOCH_ENTERED -> node.epochRecovery.onEntered(from, body);
      case CATCH_UP -> node.epochRecovery.onCatchUp(from, body);
      case WRITE -> node.writeHandler.onWrite(from, request, body);
      case BULK_WRITE -> node.bulkWriteHandler.onBulkWrite(from, request, body);
      case REPLICATE -> node.replicationHandler.onReplicate(from, body, false);
      case REPLICATE_COPY -> node.replicationHandler.onReplicate(from, body, true);
      case COLLECT, COLLECTED, UPDATE_COPIES, COPIES_UPDATED ->
          node.copyExchange.onMessage(kind, from, body);
      case PULL, REDUCE, COUNT, TRANSFER -> node.scanServer.onRequest(kind, from, request, body);
      case READ, BULK_READ, MERGED_REQUEST, ENTER_EPOCH, CAUGHT_UP, CANCEL ->
          handle(WireMessage.read(kind, body), from, request);
      case ACK, ACK_REQUEST, COMMITTED, COMMITTED_REQUEST, HEAP ->
          handle(WireMessage.read(kind, body), from, request);
      case RESPONSE -> throw new IllegalArgumentException("responses have handlers of their own");
    }
  }

  private void handle(WireMessage message, Member from, long request) {
    switch (message) {
      case CallMessage.ReadRequest read -> node.readHandler.onRead(from, request, read);
      case CallMessage.BulkReadRequest bulk -> node.bulkReadHandler.onBulkRead(from, request, bulk);
      case CallMessage.MergeStatusRequest statusRequest ->
          node.reconciler.onMergedRequest(from, request, statusRequest);
      case ReplicationMessage.Acknowledgement acknowledgement -> {
        node.topologyDriver.recordAnswer(from);
        node.progressExchange.onAck(from, acknowledgement);
      }
      case ReplicationMessage.AcknowledgementRequest ackRequest ->
          node.progressExchange.onAckRequest(from, ackRequest);
      case ReplicationMessage.CommitNotice notice -> node.progressExchange.onCommitNotice(notice);
      case ReplicationMessage.CommitQuery query -> node.progressExchange.onCommitQuery(from, query);
      case ReplicationMessage.HeapNotice notice -> node.heapExchange.onNotice(from, notice);
      case RebalanceMessage.EpochEntryRequest entry -> node.epochRecovery.onEnter(from, entry);
      case RebalanceMessage.CatchUpNotice notice -> node.epochRecovery.onCaughtUp(from, notice);
      case ScanMessage.Cancellation cancellation ->
          node.scanServer.onCancellation(from, cancellation);
    }
  }

  @Override
  public void onForeignGrid(ForeignGridReport report) {
    node.state.onForeignGrid(report);
  }

  @Override
  public void onCutOff(String problem) {
    node.membershipReporter.onCutOff(problem);
  }

  @Override
  public void onLeaseHeld() {
    node.membershipReporter.onLeaseHeld();
  }

  /**
   * Has the parts follow a topology: first the replicas, then primaries recover their epochs, then
   * missing entries are fetched or merged. A node reports a segment only after it holds it.
   *
   * @param topology the next one, or {@link Topology#NONE} when the node gives up its grid
   */
  @Override
  public void adopt(Topology topology) {
    if (!topology.isFounded()) {
      node.epochRecovery.reset();
      node.copyExchange.reset();
      node.replicas.leaveGrid(adopted);
      adopted = topology;
      node.reconciler.scheduleMerges();
      return;
    }
    node.membershipReporter.onAdopted(topology);
    node.operatorLog.onAdopted(adopted, topology);
    topology
        .destroyedSince(lastFounded)
        .forEach(cache -> node.cacheMetrics.forget(cache.definition().name(), cache.index()));
    lastFounded = topology;
    List<ReplicaTable.ReplicaChange> changed =
        node.replicas.adopt(topology, adopted, node.messaging.self());
    adopted = topology;
    node.client.onTopologyAdopted(topology);
    node.copyExchange.onTopologyAdopted(topology);
    node.epochRecovery.onEpochsEntered(topology, changed);
    node.stateTransfer.onEpochsEntered(changed);
    node.droppedReplicaReporter.onEpochsEntered(changed);
    node.reconciler.scheduleMerges();
    node.evictor.onTopologyAdopted();
    if (topology.members().size() > 1) {
      node.progressExchange.startQuerying();
    }
  }
}
