package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.AckExchange;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaExpiry;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.Lease;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import org.jspecify.annotations.Nullable;

/**
 * The owners' half of reads: what was found is told when all owners hold it.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class ReadHandler {
  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final ReplicaTable replicas;
  private final AckExchange ackExchange;
  private final Lease lease;
  private final EntryExpirer expirer;

  /** The owners' half of reads, over these replicas. */
  public ReadHandler(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      ReplicaTable replicas,
      AckExchange ackExchange,
      EntryExpirer expirer) {
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.replicas = replicas;
    this.ackExchange = ackExchange;
    this.lease = topologyDriver.lease();
    this.expirer = expirer;
  }

  /** Somebody reads a key here. */
  public void onRead(Member from, long request, Input in) {
    long topologyNumber = in.readLong();
    int cache = in.readCount(Integer.MAX_VALUE);
    int segment = in.readCount(Integer.MAX_VALUE);
    boolean wantsValue = in.readBoolean();
    ByteSlice key = ByteSlice.read(in);
    topologyDriver.whenAdopted(
        topologyNumber, () -> answerRead(from, request, cache, segment, wantsValue, key, null));
  }

  private void answerRead(
      Member from,
      long request,
      int cache,
      int segment,
      boolean wantsValue,
      ByteSlice key,
      @Nullable Entry loadedEntry) {
    Replica replica = replicas.find(cache, segment);
    if (replica == null) {
      messaging.post(from, OperationReplyEncoder.encodeRefused(messaging, request, 0));
      return;
    }
    expirer.expireDue(replica);
    long hash = topologyDriver.current().hashOf(key);
    LocalRead found =
        replica.readLocally(hash, key.bytes(), key.offset(), key.length()).withValue(loadedEntry);
    Entry evicted = found.evictedEntry();
    if (evicted != null && (wantsValue || ReplicaExpiry.tracksReads(evicted))) {
      replica
          .valueResidency()
          .load(
              evicted,
              loaded -> answerRead(from, request, cache, segment, wantsValue, key, loaded));
      return;
    }
    LocalRead localRead = expirer.noteRead(replica, found);
    Runnable refuse =
        () -> messaging.post(from, OperationReplyEncoder.encodeRefused(messaging, request, 0));
    switch (localRead.status()) {
      case CLEAN -> respond(from, request, replica, localRead, wantsValue);
      case REFUSED -> refuse.run();
      case DIRTY -> {
        if (replica.state().isActivePrimary() && localRead.entry() != null) {
          // Told as it was found, though the key may have been written again: of one that always
          // is, no version would be committed before the next is there.
          ackExchange.whenCommitted(
              replica,
              localRead.epoch(),
              localRead.entry().index(),
              () -> respond(from, request, replica, localRead, wantsValue),
              refuse);
        } else {
          refuse.run();
        }
      }
    }
  }

  /** Answers a read with what was found, if this node is still entitled to. */
  private void respond(
      Member from, long request, Replica replica, LocalRead localRead, boolean wantsValue) {
    Output answer =
        OperationReplyEncoder.encodeFound(
            messaging, request, ReadResult.of(localRead.entry(), wantsValue));
    boolean sameEpoch = replica.state().epoch() == localRead.epoch();
    // After the entry was read: see Lease.
    boolean leaseHeld = lease.isHeld();
    messaging.post(
        from,
        sameEpoch && leaseHeld
            ? answer
            : OperationReplyEncoder.encodeRefused(messaging, request, 0));
  }
}
