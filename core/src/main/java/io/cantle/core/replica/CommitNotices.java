package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells backups how far all writers have come when no write follows that would tell them, so that
 * they may answer reads themselves and forget their tails.
 *
 * <p><b>Threading:</b> any thread; never waits.
 */
public final class CommitNotices {
  private static final long DELAY = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long ASK_DELAY = TimeUnit.MILLISECONDS.toNanos(500);

  private final Requests requests;
  private final World world;
  private final Replicas replicas;
  private final AtomicBoolean due = new AtomicBoolean();
  private final AtomicBoolean asking = new AtomicBoolean();
  private final TopologyKeeper topologies;
  private volatile boolean closed;

  /** Notices about these replicas. */
  public CommitNotices(
      Requests requests, TopologyKeeper topologies, World world, Replicas replicas) {
    this.topologies = topologies;
    this.requests = requests;
    this.world = world;
    this.replicas = replicas;
  }

  /** Something was written or served: tell soon how it ended. */
  public void due() {
    if (!due.get() && due.compareAndSet(false, true)) {
      world.clock().schedule(DELAY, this::tell);
    }
  }

  /** Tells nobody any more. */
  public void close() {
    closed = true;
  }

  private void tell() {
    if (closed) {
      return;
    }
    due.set(false);
    TreeMap<Member, Output> bodies = new TreeMap<>();
    TreeMap<Member, Integer> counts = new TreeMap<>();
    for (Replica[] cache : replicas.all()) {
      for (Replica replica : cache) {
        ReplicaState state = replica.state();
        long committed = state.leads() ? replica.notice() : -1;
        if (committed >= 0) {
          for (Member other : state.others()) {
            Output body = bodies.computeIfAbsent(other, member -> new Output(256));
            body.writeVarint(replica.cache());
            body.writeVarint(replica.segment());
            body.writeVarint(state.epoch());
            body.writeVarint(committed);
            counts.merge(other, 1, Integer::sum);
          }
        }
      }
    }
    bodies.forEach(
        (member, body) -> {
          Output message = requests.message(Kind.COMMITTED, 0, body.position() + 8);
          message.writeVarint(counts.getOrDefault(member, 0));
          message.write(body.array(), 0, body.position());
          requests.post(member, message);
        });
  }

  /** Looks now and then for writes nobody has told the end of: what was told may be lost. */
  public void watch() {
    if (!asking.get() && asking.compareAndSet(false, true)) {
      world.clock().schedule(ASK_DELAY, this::ask);
    }
  }

  private void ask() {
    asking.set(false);
    if (closed) {
      return;
    }
    Topology topology = topologies.current();
    TreeMap<Member, Output> messages = new TreeMap<>();
    for (Replica[] cache : replicas.all()) {
      for (Replica replica : cache) {
        if (replica.wonders() && replica.cache() < topology.caches().size()) {
          Ownership ownership = topology.ownership(replica.cache(), replica.segment());
          if (!ownership.unowned()) {
            Output out =
                messages.computeIfAbsent(
                    ownership.primary(), member -> requests.message(Kind.COMMITTED_WANTED));
            out.writeVarint(replica.cache());
            out.writeVarint(replica.segment());
            out.writeVarint(replica.state().epoch());
          }
        }
      }
    }
    messages.forEach(requests::post);
    if (topology.members().size() > 1) {
      watch();
    }
  }

  /** Somebody asks how writes have ended. */
  public void asked(Member from, Input in) {
    Output body = new Output(256);
    int count = 0;
    while (in.remaining() > 0) {
      int cache = in.readCount(Integer.MAX_VALUE);
      int segment = in.readCount(Integer.MAX_VALUE);
      int epoch = in.readCount(Integer.MAX_VALUE);
      Replica replica = replicas.find(cache, segment);
      long committed = replica == null ? -1 : replica.committedAsPrimary(epoch);
      if (committed >= 0) {
        body.writeVarint(cache);
        body.writeVarint(segment);
        body.writeVarint(epoch);
        body.writeVarint(committed);
        count++;
      }
    }
    if (count > 0) {
      Output message = requests.message(Kind.COMMITTED, 0, body.position() + 8);
      message.writeVarint(count);
      message.write(body.array(), 0, body.position());
      requests.post(from, message);
    }
  }

  /** A primary tells. */
  public void came(Input in) {
    int count = in.readCount(in.remaining());
    for (int i = 0; i < count; i++) {
      Replica replica =
          replicas.find(in.readCount(Integer.MAX_VALUE), in.readCount(Integer.MAX_VALUE));
      int epoch = in.readCount(Integer.MAX_VALUE);
      long committed = in.readVarint();
      if (replica != null) {
        replica.replicated(epoch, committed, List.of());
      }
    }
  }
}
