package io.cantle.core.operate;

import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.SegmentLostException;
import io.cantle.TimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.concurrent.TimeUnit;
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
  private final Session session;
  private final Clock clock;
  private final long timeoutNanos;

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
    this.session = new Session(requests.self().id(), clock);
    this.timeoutNanos = timeoutNanos;
  }

  /** When a call that begins now must have ended. */
  public long deadline() {
    return clock.nanoTime() + timeoutNanos;
  }

  Session session() {
    return session;
  }

  /** The owners of a segment; a lost segment is an error. */
  static Ownership ownership(Topology topology, int cache, int segment) {
    Ownership ownership = topology.ownership(cache, segment);
    if (ownership.lost()) {
      throw new SegmentLostException(
          "segment "
              + segment
              + " of cache \""
              + topology.caches().get(cache).definition().name()
              + "\" is lost: every node that held it is gone; put its data back into another cache,"
              + " and give caches more owners");
    }
    return ownership;
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
  public Found read(int cache, byte[] key, boolean wantsValue, long deadline) {
    Topology topology = topologies.current();
    long hash = KeyHash.hash(topology.hashSeed(), key, 0, key.length);
    int segment = segment(topology, cache, hash);
    Replica replica = replicas.find(cache, segment);
    if (replica != null) {
      Replica.Peek peek = replica.peek(hash, key, 0, key.length);
      if (peek.status() == Replica.Status.CLEAN) {
        return Found.of(peek.entry());
      }
    }
    return readAtPrimary(cache, segment, key, wantsValue, deadline);
  }

  private Found readAtPrimary(
      int cache, int segment, byte[] key, boolean wantsValue, long deadline) {
    Pause pause = new Pause(clock, topologies);
    while (true) {
      Topology topology = topologies.current();
      Member primary = ownership(topology, cache, segment).primary();
      Input answer =
          requests.call(
              primary,
              Kind.READ,
              out -> {
                out.writeLong(topology.number());
                out.writeVarint(cache);
                out.writeVarint(segment);
                out.writeBoolean(wantsValue);
                out.writeBlob(key);
              },
              deadline);
      if (answer != null && answer.readByte() == Answers.FOUND) {
        return readFound(answer);
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

  private static Found readFound(Input in) {
    int epoch = in.readCount(Integer.MAX_VALUE);
    long index = in.readVarint();
    return new Found(Result.read(in), epoch, index);
  }

  // ------------------------------------------------------------------ writes

  /** Carries an operation out, exactly once, and returns what it answers. */
  public Result write(int cache, byte[] key, Operation operation, long deadline) {
    Topology topology = topologies.current();
    int segment = segment(topology, cache, KeyHash.hash(topology.hashSeed(), key, 0, key.length));
    Functions.checkNotWithin(topology.gridId(), cache, segment, Slice.of(key));
    Sequences sequences = session.sequences(cache, segment);
    long sequence = sequences.begin(operation, deadline);
    Write write = new Write();
    long request = requests.register(write);
    int resultBytes = -1;
    try {
      Result result =
          write(
              cache,
              segment,
              Slice.of(key),
              operation,
              write,
              sequences,
              sequence,
              request,
              deadline);
      resultBytes = result.length();
      return result;
    } finally {
      requests.forget(request);
      sequences.end(sequence, resultBytes);
    }
  }

  private Result write(
      int cache,
      int segment,
      Slice key,
      Operation operation,
      Write write,
      Sequences sequences,
      long sequence,
      long request,
      long deadline) {
    Pause pause = new Pause(clock, topologies);
    boolean retry = false;
    while (true) {
      Topology topology = topologies.current();
      Ownership ownership = ownershipOf(topology, cache, segment, write);
      if (retry || ownership.epoch() != write.sentEpoch) {
        retry = false;
        write.sentIn(ownership.epoch());
        Command command = new Command(session.id(), sequence, sequences.lowest(), request);
        send(topology, cache, segment, ownership, command, key, operation);
      }
      awaitAnswer(write, cache, segment, deadline);
      Result result = write.result();
      if (result != null) {
        return result;
      }
      FunctionException failure = write.failure();
      if (failure != null) {
        throw failure;
      }
      if (clock.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
        throw unanswered(write, segment, ownership, operation);
      }
      if (write.refused) {
        pause.await(topology.number(), deadline);
        retry = true;
      }
    }
  }

  private static Ownership ownershipOf(Topology topology, int cache, int segment, Write write) {
    try {
      return ownership(topology, cache, segment);
    } catch (SegmentLostException e) {
      if (!write.doubtful()) {
        throw e;
      }
      throw new IndeterminateException(
          "a write was sent before its segment was lost: " + e.getMessage());
    }
  }

  private void awaitAnswer(Write write, int cache, int segment, long deadline) {
    while (write.result() == null
        && write.failure() == null
        && !write.refused
        && topologies.current().ownership(cache, segment).epoch() == write.sentEpoch) {
      long left = deadline - clock.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        return;
      }
      clock.parkNanos(write, left);
    }
  }

  private GridException unanswered(
      Write write, int segment, Ownership ownership, Operation operation) {
    String what =
        Thread.currentThread().isInterrupted()
            ? "the calling thread was interrupted while a write of segment "
            : "no answer within " + timeoutText() + " to a write of segment ";
    String where = segment + " whose primary is " + ownership.primary() + hint(operation);
    return write.doubtful()
        ? new IndeterminateException(
            what + where + "; it may have been written: read the key to find out")
        : new TimeoutException(what + where + "; it was not written, trying again is safe");
  }

  private static String hint(Operation operation) {
    return operation instanceof Apply
        ? " (by a function: one that is slow holds up the others for its key, and one that has its"
            + " own key written waits for itself)"
        : "";
  }

  private void send(
      Topology topology,
      int cache,
      int segment,
      Ownership ownership,
      Command command,
      Slice key,
      Operation operation) {
    Member primary = ownership.primary();
    if (primary.equals(requests.self())) {
      writers.write(primary, cache, segment, ownership.epoch(), command, key, operation);
      return;
    }
    Output out = requests.message(Kind.WRITE, command.request(), key.length() + 64);
    out.writeLong(topology.number());
    out.writeVarint(cache);
    out.writeVarint(segment);
    out.writeVarint(ownership.epoch());
    out.writeVarint(command.sequence());
    out.writeVarint(command.sequence() - command.lowest());
    key.write(out);
    operation.write(out);
    requests.send(primary, out);
  }

  String timeoutText() {
    return TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms";
  }

  /** What a bulk write is told. */
  @Nullable Input bulk(
      Topology topology,
      int cache,
      Member primary,
      java.util.List<Writers.BulkItem> items,
      long deadline) {
    return requests.call(
        primary,
        Kind.BULK,
        out -> {
          out.writeLong(topology.number());
          out.writeVarint(cache);
          out.writeVarint(items.size());
          items.forEach(item -> item.write(out));
        },
        deadline);
  }
}
