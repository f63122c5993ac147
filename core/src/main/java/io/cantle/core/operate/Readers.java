package io.cantle.core.operate;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Aging;
import io.cantle.core.replica.Peek;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.topology.Lease;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import org.jspecify.annotations.Nullable;

/**
 * The owners' half of reads: what was found is told when all owners hold it.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class Readers {
  private final Requests requests;
  private final TopologyKeeper topologies;
  private final Replicas replicas;
  private final Acks acks;
  private final Lease lease;
  private final Expiry expiry;

  /** The owners' half of reads, over these replicas. */
  public Readers(
      Requests requests, TopologyKeeper topologies, Replicas replicas, Acks acks, Expiry expiry) {
    this.requests = requests;
    this.topologies = topologies;
    this.replicas = replicas;
    this.acks = acks;
    this.lease = topologies.lease();
    this.expiry = expiry;
  }

  /** Somebody reads a key here. */
  public void came(Member from, long request, Input in) {
    long topologyNumber = in.readLong();
    int cache = in.readCount(Integer.MAX_VALUE);
    int segment = in.readCount(Integer.MAX_VALUE);
    boolean wantsValue = in.readBoolean();
    Slice key = Slice.read(in);
    topologies.whenAdopted(
        topologyNumber, () -> answerRead(from, request, cache, segment, wantsValue, key, null));
  }

  private void answerRead(
      Member from,
      long request,
      int cache,
      int segment,
      boolean wantsValue,
      Slice key,
      @Nullable Entry read) {
    Replica replica = replicas.find(cache, segment);
    if (replica == null) {
      requests.post(from, Answers.refused(requests, request, 0));
      return;
    }
    expiry.settle(replica);
    long hash = topologies.current().hash(key);
    Peek found = replica.peek(hash, key.bytes(), key.offset(), key.length()).with(read);
    Entry evicted = found.evicted();
    if (evicted != null && (wantsValue || Aging.notesReads(evicted))) {
      replica
          .values()
          .bringBack(
              evicted, back -> answerRead(from, request, cache, segment, wantsValue, key, back));
      return;
    }
    Peek peek = expiry.read(replica, found);
    Runnable refuse = () -> requests.post(from, Answers.refused(requests, request, 0));
    switch (peek.status()) {
      case CLEAN -> tell(from, request, replica, peek, wantsValue);
      case REFUSED -> refuse.run();
      case DIRTY -> {
        if (replica.state().leads() && peek.entry() != null) {
          // Told as it was found, though the key may have been written again: of one that always
          // is, no version would be committed before the next is there.
          acks.whenCommitted(
              replica,
              peek.epoch(),
              peek.entry().index(),
              () -> tell(from, request, replica, peek, wantsValue),
              refuse);
        } else {
          refuse.run();
        }
      }
    }
  }

  /** Answers a read with what was found, if this node is still entitled to. */
  private void tell(Member from, long request, Replica replica, Peek peek, boolean wantsValue) {
    Output answer = Answers.found(requests, request, Found.of(peek.entry(), wantsValue));
    boolean same = replica.state().epoch() == peek.epoch();
    // After the entry was read: see Lease.
    boolean held = lease.held();
    requests.post(from, same && held ? answer : Answers.refused(requests, request, 0));
  }
}
