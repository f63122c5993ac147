package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How primaries learn how far the other writers have come. Where nobody waits at the primary,
 * because the origin is told by the writers themselves, an acknowledgement may wait a little and go
 * with others. Who cannot wait, a reader of an entry that is not committed yet, has the primary
 * ask.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Nothing waits.
 */
public final class Acks {
  private static final long DELAY = TimeUnit.MILLISECONDS.toNanos(1);

  private final Requests requests;
  private final World world;
  private final Replicas replicas;
  private final CommitNotices notices;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Member, Map<Replica, Ack>> due = new TreeMap<>();
  private boolean scheduled;

  private record Ack(int epoch, long applied) {
    Ack later(Ack other) {
      boolean mine = epoch > other.epoch || (epoch == other.epoch && applied > other.applied);
      return mine ? this : other;
    }
  }

  /** Acknowledgements of these replicas. */
  public Acks(Requests requests, World world, Replicas replicas, CommitNotices notices) {
    this.requests = requests;
    this.world = world;
    this.replicas = replicas;
    this.notices = notices;
  }

  /** Tells a primary soon. */
  public void soon(Member primary, Replica replica, int epoch, long applied) {
    lock.lock();
    try {
      due.computeIfAbsent(primary, member -> new LinkedHashMap<>())
          .merge(replica, new Ack(epoch, applied), Ack::later);
      if (!scheduled) {
        scheduled = true;
        world.clock().schedule(DELAY, this::tell);
      }
    } finally {
      lock.unlock();
    }
  }

  private void tell() {
    Map<Member, Output> messages = new TreeMap<>();
    lock.lock();
    try {
      scheduled = false;
      due.forEach(
          (primary, acks) -> {
            Output out = requests.message(Kind.ACK, 0, acks.size() * 8);
            acks.forEach((replica, ack) -> write(out, replica, ack.epoch, ack.applied));
            messages.put(primary, out);
          });
      due.clear();
    } finally {
      lock.unlock();
    }
    messages.forEach(requests::post);
  }

  /** Writes how far a replica has come. */
  public static void write(Output out, Replica replica, int epoch, long applied) {
    out.writeVarint(replica.cache());
    out.writeVarint(replica.segment());
    out.writeVarint(epoch);
    out.writeVarint(applied);
  }

  /** A writer tells how far it has come. */
  public void came(Member from, Input in) {
    while (in.remaining() > 0) {
      Replica replica = readReplica(in);
      int epoch = in.readCount(Integer.MAX_VALUE);
      long applied = in.readVarint();
      if (replica != null && replica.acked(from, epoch, applied)) {
        notices.due();
      }
    }
  }

  /**
   * Runs one of two things: when an index of an epoch is committed, or when it never will be. Asks
   * the other writers if it is not yet.
   */
  public void whenCommitted(
      Replica replica, int epoch, long index, Runnable then, Runnable refused) {
    if (replica.whenCommitted(epoch, index, then, refused)) {
      for (Member other : replica.state().others()) {
        Output out = requests.message(Kind.ACK_WANTED);
        out.writeVarint(replica.cache());
        out.writeVarint(replica.segment());
        out.writeVarint(epoch);
        requests.post(other, out);
      }
    }
  }

  /** A primary wants to know at once. */
  public void asked(Member from, Input in) {
    Replica replica = readReplica(in);
    int epoch = in.readCount(Integer.MAX_VALUE);
    long applied = replica == null ? -1 : replica.appliedAsWriter(epoch);
    if (replica != null && applied >= 0) {
      Output out = requests.message(Kind.ACK);
      write(out, replica, epoch, applied);
      requests.post(from, out);
    }
  }

  private @Nullable Replica readReplica(Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    return replicas.find(cache, in.readCount(Integer.MAX_VALUE));
  }
}
