package io.cantle.core.operate;

import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.replica.Behind;
import io.cantle.core.replica.Item;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.Replicas;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Requests;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends again, from the tails of the segments this node is the primary of, what others have not
 * acknowledged after a while: the network may lose messages, and an answer needs all writers.
 *
 * <p><b>Threading:</b> any thread; never waits.
 */
final class Resends {
  private static final long AFTER = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int MAX_ITEMS = 128;

  /** So that a message stays one that may be sent from any thread. */
  private static final int MAX_BYTES = 12 << 10;

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final World world;
  private final Replicas replicas;
  private final AtomicBoolean due = new AtomicBoolean();

  Resends(Requests requests, TopologyKeeper topologies, World world, Replicas replicas) {
    this.requests = requests;
    this.topologies = topologies;
    this.world = world;
    this.replicas = replicas;
  }

  /** Something was sent: look after a while whether it has arrived. */
  void due() {
    if (!due.get() && due.compareAndSet(false, true)) {
      world.clock().schedule(AFTER, this::look);
    }
  }

  private void look() {
    due.set(false);
    boolean waits = false;
    for (Replica[] cache : replicas.all()) {
      for (Replica replica : cache) {
        if (replica.state().leads()) {
          ReplicaState state = replica.state();
          replica.behind(MAX_ITEMS).forEach(behind -> resend(replica, state, behind));
          waits |= replica.waits();
        }
      }
    }
    if (waits) {
      due();
    }
  }

  private void resend(Replica replica, ReplicaState state, Behind behind) {
    topologies.asksAgain(behind.member());
    Output out = null;
    for (Item item : behind.items()) {
      if (item.epoch() != state.epoch()) {
        return;
      }
      if (out == null) {
        out = requests.message(Kind.REPLICATE, 0, 1_024);
        out.writeVarint(replica.cache());
      }
      // Nothing newer than this write may be called committed by it.
      Writers.writeItem(out, replica, state.epoch(), 0, Item.Notice.NONE, item, false);
      if (out.position() >= MAX_BYTES) {
        requests.post(behind.member(), out);
        out = null;
      }
    }
    if (out != null) {
      requests.post(behind.member(), out);
    }
  }
}
