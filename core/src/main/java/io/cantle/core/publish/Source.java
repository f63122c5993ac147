package io.cantle.core.publish;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.base.World;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.topology.Lease;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import io.cantle.core.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The owners' half of scans. It answers pulls, partial results and counts from the replicas of this
 * node, and keeps nothing afterwards. What is told of a segment counts only if the replica is in
 * the same epoch, and as entitled to speak, after the last entry was read as before the first.
 *
 * <p><b>Threading:</b> any thread; pulls and partial results run on virtual threads, at most as
 * many as callers ask for at once.
 */
public final class Source {
  static final int FAILED = 2;
  static final int OK = 1;
  static final int REFUSED = 0;

  /** How the part of a pull that is about one segment ended. */
  static final int DONE = 1;

  /** There is more behind the cursor that follows. */
  static final int MORE = 2;

  /** There is more behind the cursor that follows, and only the primary can tell it. */
  static final int DIRTY = 3;

  /** How many pulls and partial results are worked on at once; more are refused and asked again. */
  private static final int MAX_RUNNING = 1_024;

  /** What an answer begins with; most segments are far smaller than a pull may take. */
  private static final int FIRST_BYTES = 1_024;

  private static final int VISITS = 65_536;
  private static final int OUTPUTS_MAX_BYTES = 16 << 20;
  private static final long COMMIT_WAIT = TimeUnit.SECONDS.toNanos(2);

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final World world;
  private final Clock clock;
  private final Replicas replicas;
  private final Acks acks;
  private final Tasks tasks;
  private final Lease lease;
  private final AtomicInteger running = new AtomicInteger();

  /** The owners' half over these replicas. */
  public Source(
      Requests requests,
      TopologyKeeper topologies,
      World world,
      Replicas replicas,
      Acks acks,
      Tasks tasks) {
    this.requests = requests;
    this.topologies = topologies;
    this.world = world;
    this.clock = world.clock();
    this.replicas = replicas;
    this.acks = acks;
    this.tasks = tasks;
    this.lease = topologies.lease();
  }

  /** Handles a message, without waiting. */
  public void came(Kind kind, Member from, long request, Input in) {
    long topologyNumber = in.readLong();
    topologies.whenAdopted(
        topologyNumber,
        () -> {
          if (kind == Kind.COUNT) {
            count(from, request, in);
          } else {
            start(kind, from, request, in);
          }
        });
  }

  private void start(Kind kind, Member from, long request, Input in) {
    if (running.incrementAndGet() > MAX_RUNNING) {
      running.decrementAndGet();
      requests.post(from, refusal(request));
      return;
    }
    world
        .threads()
        .execute(
            () -> {
              try {
                requests.send(from, answer(kind, request, in));
              } finally {
                running.decrementAndGet();
              }
            });
  }

  private Output answer(Kind kind, long request, Input in) {
    try {
      Output out = kind == Kind.PULL ? pull(request, in) : reduce(request, in);
      if (!lease.held()) {
        // Looked at after the last entry was read: see Lease.
        return refusal(request);
      }
      return out.position() <= Transport.MAX_MESSAGE_BYTES
          ? out
          : failure(
              request,
              "a result of "
                  + out.position()
                  + " bytes is longer than a message, "
                  + Transport.MAX_MESSAGE_BYTES);
    } catch (Exception | Error e) {
      // Thrown by a user's function, as a rule: it belongs to whoever asked. Without an answer it
      // would be asked again and again.
      return failure(request, e.toString());
    }
  }

  private Output failure(long request, String why) {
    Output out = requests.answer(request, 256);
    out.writeByte(FAILED);
    out.writeString(why);
    return out;
  }

  // ------------------------------------------------------------------ pulls

  private Output pull(long request, Input in) {
    Pull pull = Pull.read(in);
    byte @Nullable [] task = pull.task();
    Tasks.Transformation transformation = task == null ? null : tasks.transformation(task);
    Output out = requests.answer(request, Math.min(pull.budgetBytes(), FIRST_BYTES));
    out.writeByte(OK);
    Budget budget = new Budget(pull.budgetBytes(), pull.budgetElements(), out.position());
    for (Pull.Want want : pull.wants()) {
      out.writeVarint(want.segment() + 1L);
      int countAt = out.position();
      out.writeInt(0);
      out.writeInt(0);
      int begin = out.position();
      int before = budget.elements;
      int outcome = REFUSED;
      Cursor cursor = want.cursor();
      Replica replica = replicas.find(pull.cache(), want.segment());
      Replica.State state = replica == null ? null : replica.state();
      if (replica != null && state != null && state.readable()) {
        Visitor visitor = new Visitor(pull.part(), out, budget, replica, state, cursor);
        if (transformation == null) {
          visit(visitor, null);
        } else {
          transformation.run(out, feed -> visit(visitor, feed));
        }
        cursor = visitor.cursor;
        outcome = !state.same(replica.state()) ? REFUSED : visitor.outcome();
      }
      if (outcome == REFUSED) {
        out.truncate(begin);
        budget.elements = before;
      }
      out.patchInt(countAt, budget.elements - before);
      out.patchInt(countAt + Integer.BYTES, out.position() - begin);
      out.writeByte(outcome);
      if (outcome == MORE || outcome == DIRTY) {
        cursor.write(out);
      }
      if (outcome == MORE || budget.used(out)) {
        break;
      }
    }
    out.writeVarint(0);
    return out;
  }

  private void visit(Visitor visitor, Tasks.@Nullable Feed feed) {
    visitor.feed = feed;
    while (true) {
      visitor.dirty = null;
      visitor.cursor = visitor.replica.entries().scan(visitor.cursor, visitor);
      Entry dirty = visitor.dirty;
      if (dirty == null
          || !visitor.state.leads()
          || !awaitCommitted(visitor.replica, visitor.state.epoch(), dirty)) {
        return;
      }
      visitor.settled = dirty;
    }
  }

  /** Waits, on this virtual thread, until an entry may be told; false if that cannot be. */
  private boolean awaitCommitted(Replica replica, int epoch, Entry entry) {
    Signal signal = new Signal();
    AtomicBoolean committed = new AtomicBoolean();
    acks.whenCommitted(
        replica,
        epoch,
        entry.index(),
        () -> {
          committed.set(true);
          signal.raise();
        },
        signal::raise);
    signal.await(clock, COMMIT_WAIT);
    return committed.get();
  }

  private static final class Budget {
    final int bytes;
    final int maxElements;
    final int begin;
    int elements;
    int visits;

    Budget(int bytes, int maxElements, int begin) {
      this.bytes = bytes;
      this.maxElements = maxElements;
      this.begin = begin;
    }

    boolean used(Output out) {
      return elements >= maxElements || visits >= VISITS || out.position() - begin >= bytes;
    }
  }

  /** Writes what is wanted of each live entry. */
  private static final class Visitor implements io.cantle.core.container.SegmentEntries.Visitor {
    private final Scans.Part part;
    private final Output out;
    private final Budget budget;
    private final Replica replica;
    private final Replica.State state;
    private Cursor cursor;
    private Tasks.@Nullable Feed feed;
    private @Nullable Entry dirty;

    /**
     * A version that was waited for. It is told, though the key may have been written again: of one
     * that always is, no version would be committed before the next is there.
     */
    private @Nullable Entry settled;

    Visitor(
        Scans.Part part,
        Output out,
        Budget budget,
        Replica replica,
        Replica.State state,
        Cursor cursor) {
      this.part = part;
      this.cursor = cursor;
      this.out = out;
      this.budget = budget;
      this.replica = replica;
      this.state = state;
    }

    int outcome() {
      if (cursor.equals(Cursor.END)) {
        return DONE;
      }
      return dirty == null ? MORE : DIRTY;
    }

    @Override
    public Visit visit(Entry newest) {
      Entry entry = LiveEntries.told(newest, replica, state, settled);
      if (entry == null) {
        dirty = newest;
        return Visit.STOP_BEFORE;
      }
      budget.visits++;
      if (!entry.tombstone()) {
        budget.elements += write(entry);
      }
      return budget.used(out) ? Visit.STOP_AFTER : Visit.NEXT;
    }

    private int write(Entry entry) {
      Tasks.Feed wanted = feed;
      if (wanted != null) {
        int before = out.position();
        int count = wanted.take(entry);
        if (out.position() - before > OUTPUTS_MAX_BYTES) {
          throw new IllegalStateException(
              "the outputs of one entry take "
                  + (out.position() - before)
                  + " bytes, more than "
                  + OUTPUTS_MAX_BYTES
                  + ": "
                  + entry);
        }
        return count;
      }
      if (part != Scans.Part.VALUE) {
        out.writeBlob(entry.bytes(), 0, entry.keyLength());
      }
      if (part != Scans.Part.KEY) {
        out.writeBlob(entry.bytes(), entry.valueOffset(), entry.valueLength());
      }
      return 1;
    }
  }

  // ------------------------------------------------------------------ partial results

  private Output reduce(long request, Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    byte[] task = in.readBlob();
    SegmentSet segments = SegmentSet.read(in, io.cantle.CacheConfig.MAX_SEGMENTS);
    List<Replica> scanned = new ArrayList<>();
    List<Replica.State> states = new ArrayList<>();
    for (int segment = segments.next(0); segment >= 0; segment = segments.next(segment + 1)) {
      Replica replica = replicas.find(cache, segment);
      Replica.State state = replica == null ? null : replica.state();
      if (replica == null || state == null || !state.leads()) {
        return refusal(request);
      }
      scanned.add(replica);
      states.add(state);
    }
    Output out = requests.answer(request, FIRST_BYTES);
    out.writeByte(OK);
    LiveEntries entries = new LiveEntries(scanned, states, this::awaitCommitted);
    tasks.reduction(task).reduce(entries, out);
    for (int i = 0; i < scanned.size(); i++) {
      if (!states.get(i).same(scanned.get(i).state())) {
        return refusal(request);
      }
    }
    return entries.refused() ? refusal(request) : out;
  }

  private Output refusal(long request) {
    Output out = requests.answer(request, 4);
    out.writeByte(REFUSED);
    return out;
  }

  // ------------------------------------------------------------------ counts

  /** Answers once what was counted is committed; says which segments were not counted. */
  private void count(Member from, long request, Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    SegmentSet segments = SegmentSet.read(in, io.cantle.CacheConfig.MAX_SEGMENTS);
    Counting counting = new Counting(from, request, segments);
    for (int segment = segments.next(0); segment >= 0; segment = segments.next(segment + 1)) {
      Replica replica = replicas.find(cache, segment);
      Replica.Count count = replica == null ? null : replica.count();
      if (replica == null || count == null) {
        counting.refused(segment);
      } else if (count.committed()) {
        counting.counted(count.count());
      } else {
        int counted = segment;
        acks.whenCommitted(
            replica,
            count.epoch(),
            count.index(),
            () -> counting.counted(count.count()),
            () -> counting.refused(counted));
      }
    }
  }

  private final class Counting {
    private final Member origin;
    private final long request;
    private final SegmentSet segments;
    private final AtomicLong total = new AtomicLong();
    private final AtomicInteger open;
    private final ConcurrentLinkedQueue<Integer> refused = new ConcurrentLinkedQueue<>();

    Counting(Member origin, long request, SegmentSet segments) {
      this.origin = origin;
      this.request = request;
      this.segments = segments;
      this.open = new AtomicInteger(segments.size());
    }

    void counted(long count) {
      total.addAndGet(count);
      end();
    }

    void refused(int segment) {
      refused.add(segment);
      end();
    }

    private void end() {
      if (open.decrementAndGet() == 0) {
        if (!lease.held()) {
          requests.post(origin, refusal(request));
          return;
        }
        Output out = requests.answer(request, 64);
        out.writeByte(OK);
        out.writeVarint(total.get());
        out.writeBoolean(refused.isEmpty());
        if (!refused.isEmpty()) {
          SegmentSet counted = segments;
          for (int segment : refused) {
            counted = counted.without(segment);
          }
          counted.write(out);
        }
        requests.post(origin, out);
      }
    }
  }
}
