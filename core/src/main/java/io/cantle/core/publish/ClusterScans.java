package io.cantle.core.publish;

import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.SegmentLostException;
import io.cantle.TimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Ask;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Scans of one cache over the whole cluster. Every segment is asked of its primary; what is
 * refused, because the segment has moved or the primary is gone, is asked again of whoever owns it
 * then.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ClusterScans implements Scans {
  private static final int PARALLEL = 8;
  private static final int CHUNK_SEGMENTS = 64;

  /** What has not been answered after so long was lost, or is as good as lost. */
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(32);

  /** What a scan needs of its node. */
  record Access(
      Requests requests, TopologyKeeper topologies, UUID gridId, int cache, long timeoutNanos) {
    Topology topology() {
      Topology topology = topologies.current();
      if (!topology.gridId().equals(gridId)) {
        throw new GridException(
            "this node joined another grid of the same name while it scanned; begin again");
      }
      return topology;
    }

    /** Fails at once when nobody can answer. */
    void checkAvailable() {
      if (topologies.cutOff()) {
        throw new NotAvailableException(
            "this node is cut off from the majority of its grid; a scan would miss what the others"
                + " hold");
      }
    }

    Member self() {
      return requests.self();
    }

    Clock clock() {
      return requests.clock();
    }
  }

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final CachePlace cache;
  private final long timeoutNanos;

  /**
   * Scans of one cache.
   *
   * @param timeoutNanos how long a scan may go without progress
   */
  public ClusterScans(
      Requests requests, TopologyKeeper topologies, CachePlace cache, long timeoutNanos) {
    this.requests = requests;
    this.topologies = topologies;
    this.cache = cache;
    this.timeoutNanos = timeoutNanos;
  }

  private Access access() {
    Topology topology = cache.awaitThere(requests.clock().nanoTime() + timeoutNanos);
    return new Access(requests, topologies, topology.gridId(), cache.in(topology), timeoutNanos);
  }

  static Ownership ownership(Topology topology, int cache, int segment) {
    Ownership ownership = topology.ownership(cache, segment);
    if (ownership.lost()) {
      throw new SegmentLostException(
          "segment "
              + segment
              + " of cache \""
              + topology.caches().get(cache).definition().name()
              + "\" is lost: every node that held it is gone; a result without it would be wrong");
    }
    return ownership;
  }

  @Override
  public <T> CloseableIterator<T> iterate(
      Part part, byte @Nullable [] task, ScanOptions options, Function<Input, T> read) {
    return new Iteration<>(access(), part, task, read);
  }

  @Override
  public void reduce(byte[] task, ScanOptions options, Predicate<Input> partial) {
    everywhere(
        Kind.REDUCE,
        (out, segments) -> {
          out.writeBlob(task);
          segments.write(out);
        },
        (segments, in) -> partial.test(in) ? segments : null);
  }

  /** {@inheritDoc} One question to each primary; most answers are one number. */
  @Override
  public long count(ScanOptions options) {
    long[] total = new long[1];
    everywhere(
        Kind.COUNT,
        (out, segments) -> segments.write(out),
        (segments, in) -> {
          total[0] += in.readVarint();
          return in.readBoolean()
              ? segments
              : SegmentSet.read(in, io.cantle.CacheConfig.MAX_SEGMENTS);
        });
    return total[0];
  }

  @Override
  public <T> CachePublisher<T> publish(
      Part part, byte @Nullable [] task, ScanOptions options, Function<Input, T> read) {
    throw new UnsupportedOperationException("not there yet");
  }

  @Override
  public <K, V> ScanPage<K, V> page(
      ScanCursor cursor, int limit, Function<Input, Map.Entry<K, V>> read) {
    throw new UnsupportedOperationException("not there yet");
  }

  /** Writes a request about some segments. */
  private interface Question {
    void write(Output out, SegmentSet segments);
  }

  private record Asked(Ask ask, SegmentSet segments, long until) {}

  /**
   * Asks about every segment until each was answered once.
   *
   * @param accept is given what was asked and the answer; returns the segments it settles, or null
   *     to stop
   */
  private void everywhere(
      Kind kind, Question question, BiFunction<SegmentSet, Input, @Nullable SegmentSet> accept) {
    Access access = access();
    int place = access.cache();
    Signal signal = new Signal();
    int segments = access.topology().caches().get(place).segments().size();
    SegmentSet open = SegmentSet.range(0, segments);
    long deadline = access.clock().nanoTime() + access.timeoutNanos();
    long pause = PAUSE;
    while (!open.isEmpty()) {
      SegmentSet before = open;
      Topology topology = access.topology();
      ArrayDeque<Chunk> chunks = chunks(place, topology, open);
      List<Asked> asked = new ArrayList<>();
      if (kind == Kind.COUNT && chunks.size() <= PARALLEL) {
        signal.expect(chunks.size());
      }
      while (!chunks.isEmpty() || !asked.isEmpty()) {
        while (asked.size() < PARALLEL && !chunks.isEmpty()) {
          asked.add(ask(access, topology, chunks.poll(), kind, question, signal));
        }
        Asked answered = await(access, asked, signal, deadline);
        asked.remove(answered);
        Input in = answered.ask.answer();
        if (in != null && told(in, answered.ask.to())) {
          SegmentSet settled = accept.apply(answered.segments, in);
          if (settled == null) {
            asked.forEach(one -> one.ask.forget());
            return;
          }
          open = open.minus(settled);
          deadline = access.clock().nanoTime() + access.timeoutNanos();
        }
      }
      if (open.size() == before.size()) {
        pause(access, pause, topology, deadline);
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      } else {
        pause = PAUSE;
        deadline = access.clock().nanoTime() + access.timeoutNanos();
      }
    }
  }

  /** Some segments of one primary. */
  private record Chunk(Member primary, SegmentSet segments) {}

  private static ArrayDeque<Chunk> chunks(int cache, Topology topology, SegmentSet open) {
    TreeMap<Member, BitSet> byPrimary = new TreeMap<>();
    ArrayDeque<Chunk> chunks = new ArrayDeque<>();
    for (int segment = open.next(0); segment >= 0; segment = open.next(segment + 1)) {
      Member primary = ownership(topology, cache, segment).primary();
      BitSet chunk = byPrimary.computeIfAbsent(primary, member -> new BitSet());
      chunk.set(segment);
      if (chunk.cardinality() == CHUNK_SEGMENTS) {
        chunks.add(new Chunk(primary, SegmentSet.ofBits(chunk)));
        byPrimary.remove(primary);
      }
    }
    byPrimary.forEach((primary, chunk) -> chunks.add(new Chunk(primary, SegmentSet.ofBits(chunk))));
    return chunks;
  }

  private static Asked ask(
      Access access, Topology topology, Chunk chunk, Kind kind, Question question, Signal signal) {
    Ask ask =
        access
            .requests()
            .ask(
                chunk.primary,
                kind,
                512,
                out -> {
                  out.writeLong(topology.number());
                  out.writeVarint(access.cache());
                  question.write(out, chunk.segments);
                },
                signal);
    long now = access.clock().nanoTime();
    return new Asked(ask, chunk.segments, now + ANSWER_NANOS);
  }

  /** The first that has ended; one that took too long is given up and counts as ended. */
  private static Asked await(Access access, List<Asked> asked, Signal signal, long deadline) {
    while (true) {
      long now = access.clock().nanoTime();
      long until = deadline;
      for (Asked one : asked) {
        if (one.ask.done()) {
          return one;
        }
        if (now - one.until >= 0) {
          one.ask.forget();
          return one;
        }
        until = one.until - until < 0 ? one.until : until;
      }
      access.checkAvailable();
      long left = deadline - now;
      if (left <= 0) {
        asked.forEach(one -> one.ask.forget());
        throw new TimeoutException(
            "no answer about "
                + asked.getFirst().segments.size()
                + " segments from "
                + asked.getFirst().ask.to()
                + " within "
                + TimeUnit.NANOSECONDS.toMillis(access.timeoutNanos())
                + " ms; trying again is safe");
      }
      signal.await(access.clock(), until - now);
      Requests.stopWhenInterrupted();
    }
  }

  private static boolean told(Input in, Member from) {
    int status = in.readByte();
    if (status == Source.FAILED) {
      throw new GridException("a function failed on " + from + ": " + in.readString());
    }
    return status == Source.OK;
  }

  private static void pause(Access access, long nanos, Topology seen, long deadline) {
    access.checkAvailable();
    long now = access.clock().nanoTime();
    if (now - deadline >= 0) {
      throw new TimeoutException(
          "segments found no owner that answers within "
              + TimeUnit.NANOSECONDS.toMillis(access.timeoutNanos())
              + " ms; trying again is safe");
    }
    long until = Math.min(now + nanos, deadline);
    while (access.topology().number() <= seen.number()) {
      long left = until - access.clock().nanoTime();
      if (left <= 0) {
        return;
      }
      access.clock().parkNanos(access, left);
      Requests.stopWhenInterrupted();
    }
  }
}
