package io.cantle.core.operate;

import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.TimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.Peek;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.replica.SessionId;
import io.cantle.core.replica.Values;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Lease;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Patience;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The callers' half of operations: finds the primary, sends, waits, and tries again, under the same
 * identity, when a segment has moved.
 *
 * <p><b>Threading:</b> any thread; the calling thread waits, never beyond the timeout.
 */
public final class Callers {
  private final Requests requests;
  private final TopologyKeeper topologies;
  private final Replicas replicas;
  private final Writers writers;
  private final ReentrantLock sessionLock = new ReentrantLock();
  private final Clock clock;
  private final Lease lease;
  private final long timeoutNanos;
  private volatile Current session;

  /** The callers' half; {@code timeoutNanos} bounds every call. */
  public Callers(
      Requests requests,
      TopologyKeeper topologies,
      Replicas replicas,
      Writers writers,
      long timeoutNanos) {
    this.requests = requests;
    this.topologies = topologies;
    this.replicas = replicas;
    this.writers = writers;
    this.clock = requests.clock();
    this.lease = topologies.lease();
    Session none = new Session(new SessionId(requests.self().id(), 0), clock);
    this.session = new Current(Topology.NONE.gridId(), none);
    this.timeoutNanos = timeoutNanos;
  }

  /** When a call that begins now must have ended. */
  public long deadline() {
    return clock.nanoTime() + timeoutNanos;
  }

  /** The session of a membership of this node in a grid. */
  private record Current(UUID gridId, Session session) {
    boolean is(UUID grid, long life) {
      return session.id().life() == life && gridId.equals(grid);
    }
  }

  /** The session of this node's present membership. */
  Session session() {
    Current known = session;
    Topology topology = topologies.current();
    long life = topology.membership().admission(requests.self());
    if (life == 0 || known.is(topology.gridId(), life)) {
      return known.session;
    }
    sessionLock.lock();
    try {
      if (!session.is(topology.gridId(), life)) {
        SessionId id = new SessionId(requests.self().id(), life);
        session = new Current(topology.gridId(), new Session(id, clock));
      }
      return session.session;
    } finally {
      sessionLock.unlock();
    }
  }

  NotAvailableException notAvailable() {
    String trouble = topologies.trouble();
    return new NotAvailableException(
        "this node is cut off from the majority of its grid, which may have gone on without it; it"
            + " answers again as soon as it is back"
            + (trouble.isEmpty() ? ": check the network and the other nodes" : ". " + trouble));
  }

  /** The owners of a segment; a lost segment is an error. */
  static Ownership ownership(Topology topology, int cache, int segment) {
    return topology.owned(
        cache,
        segment,
        "it is back when one of them is, or give it up by Grid.acceptLoss, and give caches more"
            + " owners");
  }

  private int segment(Topology topology, int cache, long hash) {
    return KeyHash.segment(hash, topology.caches().get(cache).definition().config().segments());
  }

  // ------------------------------------------------------------------ reads

  /**
   * Reads a key, here if this node is an owner and the entry is clean, else at the primary.
   *
   * @param wantsValue false when only the version and whether there is an entry matter
   */
  public Found read(CachePlace cache, byte[] key, boolean wantsValue, long deadline) {
    Topology topology = topologies.current();
    int place = cache.in(topology);
    if (place >= 0) {
      long hash = KeyHash.hash(topology.hashSeed(), key, 0, key.length);
      Replica replica = replicas.find(place, segment(topology, place, hash));
      if (replica != null) {
        Peek peek = peek(replica, hash, key, wantsValue, deadline);
        // The lease is looked at after what is told: see there. And last the grid: in another one
        // there may be another cache at this place.
        if (peek.status() == Peek.Status.CLEAN
            && lease.held()
            && (peek.entry() == null || replica.aging().lives(peek.entry()))
            && topologies.current().gridId().equals(topology.gridId())) {
          return Found.of(peek.entry(), wantsValue);
        }
      }
    }
    return readAtPrimary(cache, key, wantsValue, deadline);
  }

  /** What is found here, once its value is in memory; the primary decides if that takes long. */
  private Peek peek(Replica replica, long hash, byte[] key, boolean wantsValue, long deadline) {
    Entry read = null;
    while (true) {
      Peek peek = replica.peek(hash, key, 0, key.length).with(read);
      Entry evicted = peek.evicted();
      if (evicted == null || !wantsValue || peek.status() != Peek.Status.CLEAN) {
        return peek;
      }
      Values.Back back = replica.values().awaitBack(evicted, deadline - clock.nanoTime());
      if (back == null) {
        return new Peek(Peek.Status.REFUSED, peek.epoch(), null);
      }
      read = back.entry();
    }
  }

  private Found readAtPrimary(CachePlace cache, byte[] key, boolean wantsValue, long deadline) {
    Pause pause = new Pause(clock, topologies);
    Patience patience = new Patience(clock);
    int epoch = -1;
    while (true) {
      Topology topology = cache.awaitThere(deadline);
      if (topologies.cutOff()) {
        throw notAvailable();
      }
      int place = cache.in(topology);
      int segment = segment(topology, place, topology.hash(Slice.of(key)));
      Ownership ownership = ownership(topology, place, segment);
      if (ownership.epoch() != epoch) {
        // Another one is asked, who has lost nothing yet.
        epoch = ownership.epoch();
        patience = new Patience(clock);
      }
      Member primary = ownership.primary();
      Input answer =
          requests.call(
              primary,
              Kind.READ,
              out -> {
                out.writeLong(topology.number());
                out.writeVarint(place);
                out.writeVarint(segment);
                out.writeBoolean(wantsValue);
                out.writeBlob(key);
              },
              patience.until(deadline),
              () -> isOvertaken(topology, place, segment));
      if (answer != null) {
        if (answer.readByte() == Answers.FOUND) {
          return readFound(answer);
        }
        // Who answers has not lost the question.
        patience = new Patience(clock);
      }
      if (topologies.cutOff()) {
        throw notAvailable();
      }
      if (clock.nanoTime() - deadline >= 0) {
        throw new TimeoutException(
            "no answer to a read of segment "
                + segment
                + " from "
                + primary
                + " within "
                + timeoutText()
                + "; trying again is safe");
      }
      pause.await(topology.number(), deadline);
      Requests.stopWhenInterrupted();
    }
  }

  /** Whether whoever was asked by this topology may not be the one to answer any more. */
  private boolean isOvertaken(Topology asked, int cache, int segment) {
    Topology now = topologies.current();
    return topologies.cutOff()
        || !now.gridId().equals(asked.gridId())
        || (now.number() != asked.number()
            && now.ownership(cache, segment).epoch() != asked.ownership(cache, segment).epoch());
  }

  private static Found readFound(Input in) {
    int epoch = in.readCount(Integer.MAX_VALUE);
    long index = in.readVarint();
    return new Found(Result.read(in), epoch, index);
  }

  // ------------------------------------------------------------------ writes

  /** Carries an operation out, exactly once, and returns what it answers. */
  public Result write(CachePlace cache, byte[] key, Operation operation, long deadline) {
    while (true) {
      Topology topology = cache.awaitThere(deadline);
      int place = cache.in(topology);
      Slice slice = Slice.of(key);
      int segment = segment(topology, place, topology.hash(slice));
      Functions.checkNotWithin(topology.gridId(), place, segment, slice);
      Session session = session();
      Sequences sequences = session.sequences(place, segment);
      long sequence = sequences.begin(operation, deadline);
      Write write = new Write();
      long request = requests.register(write);
      int resultBytes = -1;
      try {
        Sending sending =
            new Sending(
                place, segment, slice, operation, write, session, sequences, sequence, request);
        Result result = write(topology, sending, deadline);
        if (result != null) {
          resultBytes = result.length();
          return result;
        }
      } finally {
        requests.forget(request);
        sequences.end(sequence, resultBytes);
      }
    }
  }

  /** A write under way. */
  private record Sending(
      int cache,
      int segment,
      Slice key,
      Operation operation,
      Write write,
      Session session,
      Sequences sequences,
      long sequence,
      long request) {}

  /** Null when this node's membership ended before anything could be written. */
  private @Nullable Result write(Topology first, Sending sending, long deadline) {
    Write write = sending.write;
    Pause pause = new Pause(clock, topologies);
    Patience patience = new Patience(clock);
    int cache = sending.cache;
    int segment = sending.segment;
    boolean retry = false;
    while (true) {
      Topology topology = topologies.current();
      if (!sending.session.equals(session()) || !topology.gridId().equals(first.gridId())) {
        if (write.doubtful()) {
          throw new IndeterminateException(
              "this node was excluded from the grid while a write was under way; it may have been"
                  + " written: read the key to find out");
        }
        return null;
      }
      Ownership ownership = ownershipOf(topology, cache, segment, write);
      if (topologies.cutOff() && !write.doubtful()) {
        throw notAvailable();
      }
      if (!isPresent(topology, sending.session)) {
        // Owners would not know who asks; it is let in again, and that is another session.
        if (isOver(deadline)) {
          throw unanswered(sending, ownership);
        }
        pause.await(topology.number(), deadline);
        continue;
      }
      if (ownership.epoch() != write.sentEpoch()) {
        // Another one is asked, who has lost nothing yet.
        patience = new Patience(clock);
        retry = true;
      }
      if (retry) {
        retry = false;
        if (write.sentIn(ownership.epoch())) {
          send(topology, sending, ownership, deadline);
        }
      }
      long until = patience.until(deadline);
      awaitAnswer(write, topology, cache, segment, until);
      Result result = write.result();
      if (result != null) {
        return result;
      }
      FunctionException failure = write.failure();
      if (failure != null) {
        throw failure;
      }
      if (write.unknowable()) {
        throw new IndeterminateException(
            "the owners of segment "
                + segment
                + " started again while a write of it was under way, and none of them knows of it;"
                + " it may have been written: read the key to find out");
      }
      if (write.diskFull() && !write.doubtful()) {
        throw diskFull(ownership.primary());
      }
      if (isOver(deadline)) {
        throw unanswered(sending, ownership);
      }
      if (write.refused()) {
        // Who answers has not lost the question.
        patience = new Patience(clock);
        pause.await(topology.number(), deadline);
        retry = true;
      } else if (clock.nanoTime() - until >= 0) {
        retry = true;
      }
    }
  }

  /** Whether this node is a member, by the life a session is named after. */
  boolean isPresent(Topology topology, Session session) {
    return topology.membership().admission(requests.self()) == session.id().life()
        && session.id().life() > 0;
  }

  private boolean isOver(long deadline) {
    return clock.nanoTime() - deadline >= 0
        || topologies.cutOff()
        || Thread.currentThread().isInterrupted();
  }

  private static Ownership ownershipOf(Topology topology, int cache, int segment, Write write) {
    try {
      return ownership(topology, cache, segment);
    } catch (SegmentLostException | NotAvailableException e) {
      if (!write.doubtful()) {
        throw e;
      }
      throw new IndeterminateException(
          "a write was sent before its segment had no owner any more: " + e.getMessage());
    }
  }

  private void awaitAnswer(Write write, Topology seen, int cache, int segment, long until) {
    while (!write.ended() && !write.refused() && !topologies.cutOff()) {
      Topology topology = topologies.current();
      long left = until - clock.nanoTime();
      if (left <= 0
          || !topology.gridId().equals(seen.gridId())
          || topology.ownership(cache, segment).epoch() != write.sentEpoch()
          || Thread.currentThread().isInterrupted()) {
        return;
      }
      clock.parkNanos(write, left);
    }
  }

  private GridException unanswered(Sending sending, Ownership ownership) {
    Write write = sending.write;
    if (topologies.cutOff()) {
      return write.doubtful()
          ? new IndeterminateException(
              "this node was cut off from the majority of its grid while a write was under way; it"
                  + " may have been written: read the key once the node is back")
          : notAvailable();
    }
    int segment = sending.segment;
    Operation operation = sending.operation;
    boolean interrupted = Thread.currentThread().isInterrupted();
    String what =
        interrupted
            ? "the calling thread was interrupted while a write of segment "
            : "no answer within " + timeoutText() + " to a write of segment ";
    String where = segment + " whose primary is " + ownership.primary() + hint(operation);
    if (write.doubtful()) {
      return new IndeterminateException(
          what + where + "; it may have been written: read the key to find out");
    }
    String safe = what + where + "; it was not written, trying again is safe";
    return interrupted ? new GridException(safe) : new TimeoutException(safe);
  }

  /** What is there can be read, and may be removed. */
  static GridException diskFull(Member primary) {
    return new NotAvailableException(
        "the disk of node "
            + primary
            + " is full, and nothing is written to the caches it keeps there: make room; what was"
            + " to be written was not, and trying again is safe");
  }

  private static String hint(Operation operation) {
    return operation.bare() instanceof Apply
        ? " (by a function: one that is slow holds up the others for its key, and one that has its"
            + " own key written waits for itself)"
        : "";
  }

  private void send(Topology topology, Sending sending, Ownership ownership, long deadline) {
    Session session = sending.session;
    int segment = sending.segment;
    long lowest = sending.sequences.lowest();
    Member primary = ownership.primary();
    int attempt = sending.write.attempt();
    int begun = sending.write.begun();
    if (primary.equals(requests.self())) {
      Command command =
          new Command(session.id(), sending.sequence, lowest, sending.request, attempt, begun);
      writers.write(
          primary,
          sending.cache,
          segment,
          ownership.epoch(),
          command,
          sending.key,
          sending.operation);
      return;
    }
    Output out = requests.message(Kind.WRITE, sending.request, sending.key.length() + 64);
    out.writeLong(topology.number());
    out.writeVarint(sending.cache);
    out.writeVarint(segment);
    out.writeVarint(ownership.epoch());
    out.writeVarint(ownership.epoch() - begun);
    out.writeVarint(attempt);
    out.writeVarint(session.id().life());
    out.writeVarint(sending.sequence);
    out.writeVarint(sending.sequence - lowest);
    sending.key.write(out);
    sending.operation.write(out);
    requests.send(primary, out, deadline);
  }

  String timeoutText() {
    return TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms";
  }

  /** What a bulk write is told; null if nothing, or when the primary is no member any more. */
  @Nullable Input bulk(
      Topology topology,
      int cache,
      Session session,
      Member primary,
      List<BulkItem> items,
      long deadline) {
    return requests.call(
        primary,
        Kind.BULK,
        out -> {
          out.writeLong(topology.number());
          out.writeVarint(cache);
          out.writeVarint(session.id().life());
          out.writeVarint(items.size());
          items.forEach(item -> item.write(out));
        },
        deadline,
        () -> topologies.cutOff() || !topologies.current().members().contains(primary));
  }
}
