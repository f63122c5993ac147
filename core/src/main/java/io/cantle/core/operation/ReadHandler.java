package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaExpiry;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.CallMessage.ReadRequest;
import org.jspecify.annotations.Nullable;

/**
 * The owner's side of reads: an entry is returned only once all owners hold it.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class ReadHandler {
  private static final OperationReply REFUSAL = new OperationReply.RefusedReply(0, false);

  private final MessagingService messaging;
  private final ReplicaContext context;
  private final EntryExpirer expirer;

  /** Creates the handler for these replicas. */
  public ReadHandler(ReplicaContext context, EntryExpirer expirer) {
    this.context = context;
    this.messaging = context.messaging();
    this.expirer = expirer;
  }

  /** Handles a read from a client. */
  public void onRead(Member from, long request, ReadRequest read) {
    context
        .topologyDriver()
        .runOnceAdopted(read.topologyNumber(), () -> answerRead(from, request, read, null));
  }

  private void answerRead(
      Member from, long request, ReadRequest read, @Nullable Entry loadedEntry) {
    Replica replica = context.replicas().find(read.cache(), read.segment());
    if (replica == null) {
      messaging.respond(from, request, REFUSAL);
      return;
    }
    expirer.expireDue(replica);
    boolean wantsValue = read.wantsValue();
    ByteSlice key = read.key();
    long hash = context.topologyDriver().current().hashOf(key);
    LocalRead found =
        replica.readLocally(hash, key.bytes(), key.offset(), key.length()).withValue(loadedEntry);
    Entry evicted = found.evictedEntry();
    if (evicted != null && (wantsValue || ReplicaExpiry.tracksReads(evicted))) {
      replica.valueResidency().load(evicted, loaded -> answerRead(from, request, read, loaded));
      return;
    }
    LocalRead localRead = expirer.noteRead(replica, found);
    switch (localRead.status()) {
      case CLEAN -> respond(from, request, replica, localRead, wantsValue, true);
      case REFUSED -> messaging.respond(from, request, REFUSAL);
      case DIRTY -> {
        if (replica.state().isActivePrimary() && localRead.entry() != null) {
          // The version that was found is returned, even if the key has been written again since.
          // For a key that is written all the time, no version would be committed before the next
          // one is there.
          context
              .progressExchange()
              .notifyOnceCommitted(
                  replica,
                  localRead.epoch(),
                  localRead.entry().index(),
                  isCommitted ->
                      respond(from, request, replica, localRead, wantsValue, isCommitted));
        } else {
          messaging.respond(from, request, REFUSAL);
        }
      }
    }
  }

  /** Answers a read with what was found, if that counts and this node may still answer. */
  private void respond(
      Member from,
      long request,
      Replica replica,
      LocalRead localRead,
      boolean wantsValue,
      boolean counts) {
    OperationReply answer =
        new OperationReply.ReadReply(ReadResult.of(localRead.entry(), wantsValue));
    boolean sameEpoch = replica.state().epoch() == localRead.epoch();
    // Checked after the entry was read; Lease says why.
    boolean leaseHeld = context.topologyDriver().lease().isHeld();
    messaging.respond(from, request, counts && sameEpoch && leaseHeld ? answer : REFUSAL);
  }
}
