package io.cantle.core.operate;

import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Aging;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Expiring;
import io.cantle.core.replica.Item;
import io.cantle.core.replica.Ordered;
import io.cantle.core.replica.Peek;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.Replicas;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends entries that have lived their time. A primary does it by a write of its own, a tick, before
 * it looks at its entries for anybody: so nobody is told of an entry that is due, and who is told
 * that it is gone is told so only when all owners know. Between calls a timer, the reaper, looks
 * after the segments led from here; it runs while any of these has a deadline, and not otherwise.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class Expiry implements Expiring {
  private static final long REAP = TimeUnit.MILLISECONDS.toNanos(500);

  private final Requests requests;
  private final World world;
  private final Replicas replicas;
  private final CommitNotices notices;
  private final Resends resends;
  private final AtomicBoolean reaping = new AtomicBoolean();
  private volatile boolean closed;

  /** The end of entries of these replicas. */
  public Expiry(
      Requests requests,
      TopologyKeeper topologies,
      World world,
      Replicas replicas,
      CommitNotices notices) {
    this.requests = requests;
    this.world = world;
    this.replicas = replicas;
    this.notices = notices;
    this.resends = new Resends(requests, topologies, world, replicas);
  }

  /** What sends again whatever primaries write. */
  Resends resends() {
    return resends;
  }

  @Override
  public void settle(Replica replica) {
    if (replica.aging().isDue()) {
      handOn(replica, replica.aging().tick());
    }
  }

  /** Whether there may be entries whose reads are noted. */
  static boolean mayNoteReads(Replica replica) {
    return replica.entries().earliestDeadline() != Deadline.NEVER;
  }

  /**
   * What is to be told of an entry that is read for somebody. If it ends when it is not read: the
   * same value, as of which the read is noted. It is told only when all owners know, for the next
   * primary must not end it too early. Who is not the primary refuses what only that can tell.
   */
  Peek read(Replica replica, Peek found) {
    Entry entry = found.entry();
    if (entry == null || replica.aging().lives(entry)) {
      return found;
    }
    if (!replica.state().leads()) {
      return new Peek(Peek.Status.REFUSED, found.epoch(), null);
    }
    Ordered touch = Aging.notesReads(entry) ? replica.aging().touch(entry) : null;
    handOn(replica, touch);
    return touch != null && touch.item() instanceof Item.Touch(Entry touched)
        ? new Peek(Peek.Status.DIRTY, touch.state().epoch(), touched)
        : found;
  }

  private void handOn(Replica replica, @Nullable Ordered ordered) {
    if (ordered == null || ordered.state().others().isEmpty()) {
      return;
    }
    notices.due();
    resends.due();
    ReplicaState state = ordered.state();
    Item item = ordered.item();
    for (Member other : state.others()) {
      Output out = requests.message(Kind.REPLICATE, 0, item.sizeBytes() + 64);
      out.writeVarint(replica.cache());
      Writers.writeItem(
          out, replica, state.epoch(), ordered.committed(), Item.Notice.NONE, item, false);
      requests.post(other, out);
    }
  }

  @Override
  public void watch() {
    if (!reaping.get() && reaping.compareAndSet(false, true)) {
      world.clock().schedule(REAP, this::reap);
    }
  }

  /** Ends nothing more. */
  public void close() {
    closed = true;
  }

  private void reap() {
    reaping.set(false);
    if (closed) {
      return;
    }
    boolean more = false;
    for (Replica[] cache : replicas.all()) {
      for (Replica replica : cache) {
        if (replica.entries().earliestDeadline() != Deadline.NEVER && replica.state().leads()) {
          settle(replica);
          more = true;
        }
      }
    }
    if (more) {
      watch();
    }
  }
}
