package io.cantle.core.operate;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Attempt;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Item;
import io.cantle.core.replica.Outcome;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.replica.SessionId;
import io.cantle.core.topology.Lease;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The primaries' half of many writes at once: decides each of them as {@link Writers} does, hands
 * all of them on together, and answers when the last one is committed.
 *
 * <p><b>Threading:</b> any thread; messages are carried out on virtual threads.
 */
public final class BulkWriters {
  /** The most keys in one bulk message. */
  static final int MAX_BULK = 1_024;

  /** How many bulk messages are worked on at once; more are refused and sent again. */
  private static final int MAX_BULKS = 256;

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final World world;
  private final Replicas replicas;
  private final CommitNotices notices;
  private final Acks acks;
  private final Writers writers;
  private final Lease lease;
  private final AtomicInteger bulks = new AtomicInteger();

  /** The primaries' half over these replicas. */
  public BulkWriters(
      Requests requests,
      TopologyKeeper topologies,
      World world,
      Replicas replicas,
      CommitNotices notices,
      Acks acks,
      Writers writers) {
    this.requests = requests;
    this.topologies = topologies;
    this.world = world;
    this.replicas = replicas;
    this.notices = notices;
    this.acks = acks;
    this.writers = writers;
    this.lease = topologies.lease();
  }

  /** Somebody writes many keys here. */
  public void came(Member from, long request, Input in) {
    long topologyNumber = in.readLong();
    int cache = in.readCount(Integer.MAX_VALUE);
    long life = in.readVarint();
    int count = in.readCount(MAX_BULK);
    List<BulkItem> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      items.add(BulkItem.read(in));
    }
    SessionId session = new SessionId(from.id(), life);
    topologies.whenAdopted(topologyNumber, () -> start(from, session, request, cache, items));
  }

  private void start(
      Member from, SessionId session, long request, int cache, List<BulkItem> items) {
    if (bulks.incrementAndGet() > MAX_BULKS) {
      bulks.decrementAndGet();
      Bulk none = new Bulk(from, request, items.size());
      for (int position = 0; position < items.size(); position++) {
        none.refused(position);
      }
      return;
    }
    world
        .threads()
        .execute(
            () -> {
              try {
                carryOut(from, session, request, cache, items);
              } finally {
                bulks.decrementAndGet();
              }
            });
  }

  /** Answers with the positions of those that were refused, and of which nobody knows. */
  private void carryOut(
      Member origin, SessionId session, long request, int cache, List<BulkItem> items) {
    Bulk bulk = new Bulk(origin, request, items.size());
    TreeMap<Member, Output> messages = new TreeMap<>();
    // A disk that has not answered once is not waited for again: who asked waits for all of it.
    boolean late = false;
    for (int i = 0; i < items.size(); i++) {
      int position = i;
      BulkItem item = items.get(i);
      Replica replica = replicas.find(cache, item.segment());
      Command command = new Command(session, item.sequence(), item.lowest(), 0, 0, item.begun());
      if (replica == null || !writers.isInUse()) {
        bulk.refused(position);
        continue;
      }
      Attempt attempt =
          late
              ? replica.refuse(item.epoch(), command)
              : writers.attempt(replica, item.epoch(), command, item.key(), item.operation());
      late |= attempt instanceof Attempt.Evicted;
      switch (attempt instanceof Outcome outcome
          ? outcome
          : replica.refuse(item.epoch(), command)) {
        case Outcome.Refused(), Outcome.Forgotten() -> bulk.refused(position);
        case Outcome.DiskFull() -> {
          bulk.diskFull = true;
          bulk.refused(position);
        }
        case Outcome.InDoubt() -> bulk.inDoubt(position);
        case Outcome.Ignored() -> bulk.done();
        case Outcome.Answer(int epoch, long index, Result result) ->
            acks.whenCommitted(replica, epoch, index, bulk::done, () -> bulk.refused(position));
        case Outcome.Written written -> {
          List<Member> others = written.state().others();
          for (int place = 0; place < others.size(); place++) {
            Output out = messages.computeIfAbsent(others.get(place), member -> new Output(512));
            Writers.writeItem(out, replica, written, Item.Notice.NONE, place);
          }
          replica.whenCommitted(
              written.state().epoch(),
              written.item().index(),
              bulk::done,
              () -> bulk.refused(position));
        }
      }
    }
    notices.due();
    writers.resends().due();
    while (!messages.isEmpty()) {
      Map.Entry<Member, Output> next = messages.pollFirstEntry();
      Output body = next.getValue();
      Output out = requests.message(Kind.REPLICATE, 0, body.position() + 16);
      out.writeVarint(cache);
      out.write(body.array(), 0, body.position());
      if (messages.isEmpty()) {
        requests.send(next.getKey(), out);
      } else {
        // One that takes nothing in must not hold back what goes to the others.
        requests.postApart(next.getKey(), out);
      }
    }
  }

  private final class Bulk {
    private final Member origin;
    private final long request;
    private final AtomicInteger open;
    private final List<Integer> refused = new ArrayList<>();
    private final List<Integer> inDoubt = new ArrayList<>();

    /** Set by the thread that carries it out; whoever ends it may be another. */
    private volatile boolean diskFull;

    Bulk(Member origin, long request, int count) {
      this.origin = origin;
      this.request = request;
      this.open = new AtomicInteger(count);
    }

    void refused(int position) {
      synchronized (refused) {
        refused.add(position);
      }
      done();
    }

    void inDoubt(int position) {
      synchronized (inDoubt) {
        inDoubt.add(position);
      }
      done();
    }

    void done() {
      if (open.decrementAndGet() == 0) {
        Output out = requests.answer(request, 16 + (refused.size() + inDoubt.size()) * 2);
        out.writeBoolean(lease.held());
        out.writeVarint(refused.size());
        refused.forEach(out::writeVarint);
        out.writeVarint(inDoubt.size());
        inDoubt.forEach(out::writeVarint);
        out.writeBoolean(diskFull);
        requests.post(origin, out);
      }
    }
  }
}
