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
import java.util.function.Consumer;
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
        .runOnceAdopted(read.topologyNumber(), new SingleRead(from, request, read));
  }

  /** A read that was sent by itself. One object is the task and takes the result. */
  private final class SingleRead implements Runnable, Consumer<@Nullable ReadResult> {
    private final Member from;
    private final long request;
    private final ReadRequest message;

    SingleRead(Member from, long request, ReadRequest message) {
      this.from = from;
      this.request = request;
      this.message = message;
    }

    @Override
    public void run() {
      read(message.cache(), message.segment(), message.key(), message.wantsValue(), this);
    }

    @Override
    public void accept(@Nullable ReadResult found) {
      messaging.respond(
          from, request, found == null ? REFUSAL : new OperationReply.ReadReply(found));
    }
  }

  /**
   * Reads a key of this node's replica.
   *
   * @param onRead receives the result, or null if this node may not answer now; may run before this
   *     call returns, and never runs if the store fails
   * @return the length of the value that is returned or still to be read from disk
   */
  int read(
      int cache,
      int segment,
      ByteSlice key,
      boolean wantsValue,
      Consumer<@Nullable ReadResult> onRead) {
    Replica replica = context.replicas().find(cache, segment);
    if (replica == null) {
      onRead.accept(null);
      return 0;
    }
    return read(replica, key, wantsValue, null, onRead);
  }

  private int read(
      Replica replica,
      ByteSlice key,
      boolean wantsValue,
      @Nullable Entry loadedEntry,
      Consumer<@Nullable ReadResult> onRead) {
    expirer.expireDue(replica);
    long hash = context.topologyDriver().current().hashOf(key);
    LocalRead found =
        replica.readLocally(hash, key.bytes(), key.offset(), key.length(), loadedEntry);
    Entry evicted = found.evictedEntry();
    if (evicted != null && (wantsValue || ReplicaExpiry.tracksReads(evicted))) {
      replica
          .valueResidency()
          .load(evicted, loaded -> read(replica, key, wantsValue, loaded, onRead));
      return evicted.valueLength();
    }
    LocalRead localRead = expirer.noteRead(replica, found);
    Entry entry = localRead.entry();
    switch (localRead.status()) {
      case CLEAN -> pass(replica, localRead, wantsValue, true, onRead);
      case REFUSED -> onRead.accept(null);
      case DIRTY -> {
        if (replica.state().isActivePrimary() && entry != null) {
          // The version that was found is returned, even if the key has been written again since.
          // For a key that is written all the time, no version would be committed before the next
          // one is there.
          context
              .progressExchange()
              .notifyOnceCommitted(
                  replica,
                  localRead.epoch(),
                  entry.index(),
                  isCommitted -> pass(replica, localRead, wantsValue, isCommitted, onRead));
        } else {
          onRead.accept(null);
        }
      }
    }
    return entry == null ? 0 : entry.contentBytes();
  }

  /** Passes on what a read has found, if that counts and this node may still answer. */
  private void pass(
      Replica replica,
      LocalRead localRead,
      boolean wantsValue,
      boolean counts,
      Consumer<@Nullable ReadResult> onRead) {
    ReadResult result = ReadResult.of(localRead.entry(), wantsValue);
    boolean sameEpoch = replica.state().epoch() == localRead.epoch();
    // Checked after the entry was read; Lease says why.
    boolean leaseHeld = context.topologyDriver().lease().isHeld();
    onRead.accept(counts && sameEpoch && leaseHeld ? result : null);
  }
}
