package io.cantle.core.operate;

import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.PartialWriteException;
import io.cantle.TimeoutException;
import io.cantle.core.base.Input;
import io.cantle.core.base.Slice;
import io.cantle.core.base.World;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Patience;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/**
 * Many writes at once: sorted by primary, sent in messages of bounded size, several at a time. Each
 * write has an identity of its own, so that one whose segment moves is tried again like any other.
 *
 * <p><b>Threading:</b> any thread; messages wait on virtual threads, the caller for all of them.
 */
public final class BulkWrites {
  private static final int CHUNK_ITEMS = 512;
  private static final int CHUNK_BYTES = 512 << 10;
  private static final int PARALLEL = 6;

  private final Callers callers;
  private final TopologyKeeper topologies;
  private final World world;

  /** Bulk writes by way of single ones' sessions and deadlines. */
  public BulkWrites(Callers callers, TopologyKeeper topologies, World world) {
    this.callers = callers;
    this.topologies = topologies;
    this.world = world;
  }

  /** One key and what is to be done to it. */
  public record KeyWrite(byte[] key, Operation operation, int sizeBytes) {}

  /**
   * Carries all writes out; those of one message are in flight together.
   *
   * @param keys makes an object of a key, for an error to name it
   * @throws PartialWriteException when some are written, or may be, and others are not
   */
  public void write(CachePlace place, Iterator<KeyWrite> writes, Function<byte[], Object> keys) {
    place.awaitThere(callers.deadline());
    if (topologies.cutOff()) {
      throw callers.notAvailable();
    }
    Flight flight = new Flight(world.clock());
    TreeMap<Member, Chunk> chunks = new TreeMap<>();
    try {
      sendAll(place, writes, flight, chunks);
    } catch (GridException e) {
      flight.failed(e);
    } finally {
      flight.await(0);
    }
    RuntimeException failure = flight.failure();
    if (failure != null) {
      chunks.values().forEach(chunk -> flight.unwritten(chunk.items));
      throw flight.told(failure, keys);
    }
  }

  private void sendAll(
      CachePlace place,
      Iterator<KeyWrite> writes,
      Flight flight,
      NavigableMap<Member, Chunk> chunks) {
    while (writes.hasNext() && flight.failure() == null) {
      KeyWrite write = writes.next();
      PendingWrite pending = new PendingWrite(0, write);
      Member primary = primary(flight, place, pending);
      Chunk chunk = chunks.computeIfAbsent(primary, member -> new Chunk());
      chunk.items.add(pending);
      chunk.bytes += write.sizeBytes();
      if (chunk.items.size() >= CHUNK_ITEMS || chunk.bytes >= CHUNK_BYTES) {
        chunks.remove(primary);
        start(flight, place, chunk);
      }
    }
    while (!chunks.isEmpty() && flight.failure() == null) {
      start(flight, place, chunks.pollFirstEntry().getValue());
    }
  }

  private Member primary(Flight flight, CachePlace place, PendingWrite pending) {
    try {
      Topology topology = place.awaitThere(callers.deadline());
      int cache = place.in(topology);
      return Callers.ownership(topology, cache, segment(topology, cache, pending)).primary();
    } catch (GridException e) {
      flight.unwritten(List.of(pending));
      throw e;
    }
  }

  private static int segment(Topology topology, int cache, PendingWrite pending) {
    byte[] key = pending.write.key();
    long hash = KeyHash.hash(topology.hashSeed(), key, 0, key.length);
    return KeyHash.segment(hash, topology.caches().get(cache).segments().size());
  }

  private static final class Chunk {
    final List<PendingWrite> items = new ArrayList<>();
    int bytes;
  }

  private void start(Flight flight, CachePlace place, Chunk chunk) {
    flight.await(PARALLEL - 1);
    flight.open.incrementAndGet();
    try {
      world.threads().execute(() -> send(flight, place, chunk));
    } catch (RejectedExecutionException e) {
      flight.unwritten(chunk.items);
      flight.ended(new GridException("the node is closed", e));
    }
  }

  private void send(Flight flight, CachePlace place, Chunk chunk) {
    RuntimeException thrown = null;
    try {
      send(place, chunk.items);
      flight.written(chunk.items.size());
    } catch (RuntimeException e) {
      thrown = e;
      flight.unwritten(chunk.items);
    } catch (Error e) {
      thrown = new IndeterminateException("some of many writes may have happened: " + e);
      flight.unwritten(chunk.items);
      throw e;
    } finally {
      flight.ended(thrown);
    }
  }

  /**
   * Sends until all are answered. What it throws says nothing about what is written: that is kept
   * with each of the writes.
   */
  private void send(CachePlace place, List<PendingWrite> all) {
    long deadline = callers.deadline();
    Session session = null;
    Pause pause = new Pause(world.clock(), topologies);
    Patience patience = new Patience(world.clock());
    long seen = 0;
    try {
      for (int left = all.size(); left > 0; ) {
        Topology topology = place.awaitThere(deadline);
        int cache = place.in(topology);
        Session present = callers.session();
        if (!topologies.current().gridId().equals(topology.gridId())) {
          continue;
        }
        if (!present.equals(session)) {
          // What has no answer cannot be told from what another session does.
          checkNothingDoubtful(all);
          all.forEach(PendingWrite::abandon);
          all.forEach(pending -> pending.segment = segment(topology, cache, pending));
          session = present;
        }
        if (topology.number() != seen) {
          // Others may be asked, who have lost nothing yet.
          seen = topology.number();
          patience = new Patience(world.clock());
        }
        int answered = 0;
        if (callers.isPresent(topology, present)) {
          begin(cache, present, all, deadline);
          answered = round(topology, cache, present, all, patience.until(deadline));
          left -= answered;
        }
        if (left > 0 && topologies.cutOff()) {
          throw callers.notAvailable();
        }
        if (left > 0 && world.clock().nanoTime() - deadline >= 0) {
          throw new TimeoutException(
              left
                  + " of "
                  + all.size()
                  + " writes sent together got no answer within "
                  + callers.timeoutText());
        }
        if (answered == 0) {
          pause.await(topology.number(), deadline);
          Requests.stopWhenInterrupted();
        } else {
          deadline = callers.deadline();
        }
      }
      checkAllKnown(all);
    } finally {
      all.forEach(PendingWrite::abandon);
    }
  }

  private static void checkAllKnown(List<PendingWrite> all) {
    long unknowable = all.stream().filter(pending -> pending.unknowable).count();
    if (unknowable > 0) {
      throw new IndeterminateException(
          unknowable
              + " of "
              + all.size()
              + " writes sent together were under way while the owners of their segments started"
              + " again, and none of those knows of them");
    }
  }

  private static void checkNothingDoubtful(List<PendingWrite> all) {
    long doubtful = all.stream().filter(PendingWrite::doubtful).count();
    if (doubtful > 0) {
      throw new IndeterminateException(
          doubtful
              + " of "
              + all.size()
              + " writes sent together were under way when this node was excluded from the grid");
    }
  }

  /**
   * Gives a sequence to every write there is room for. Waits for room only while nothing of this
   * message is open: of two that hold what the other waits for, neither would go on.
   */
  private static void begin(int cache, Session session, List<PendingWrite> all, long deadline) {
    PendingWrite first = null;
    boolean open = false;
    for (PendingWrite pending : all) {
      boolean waits =
          pending.sequence == 0
              && !pending.answered
              && !pending.tryBegin(session.sequences(cache, pending.segment));
      first = first == null && waits ? pending : first;
      open |= pending.open();
    }
    if (!open && first != null) {
      first.begin(session.sequences(cache, first.segment), deadline);
    }
  }

  /** Sends what has no answer to the present primaries; returns how many have one now. */
  private int round(
      Topology topology, int cache, Session session, List<PendingWrite> all, long until) {
    TreeMap<Member, List<PendingWrite>> byPrimary = new TreeMap<>();
    for (PendingWrite pending : all) {
      if (pending.open()) {
        Ownership ownership = Callers.ownership(topology, cache, pending.segment);
        byPrimary.computeIfAbsent(ownership.primary(), member -> new ArrayList<>()).add(pending);
      }
    }
    int answered = 0;
    for (var part : byPrimary.entrySet()) {
      List<PendingWrite> sent = part.getValue();
      List<BulkItem> items = new ArrayList<>(sent.size());
      for (PendingWrite pending : sent) {
        pending.sent = true;
        int epoch = topology.ownership(cache, pending.segment).epoch();
        pending.begun = pending.begun == 0 ? epoch : pending.begun;
        items.add(
            new BulkItem(
                pending.segment,
                epoch,
                pending.begun,
                pending.sequence,
                pending.lowest(),
                Slice.of(pending.write.key()),
                pending.write.operation()));
      }
      Input answer = callers.bulk(topology, cache, session, part.getKey(), items, until);
      if (answer == null || !answer.readBoolean()) {
        continue;
      }
      BitSet refused = new BitSet();
      for (int left = answer.readCount(sent.size()); left > 0; left--) {
        refused.set(answer.readCount(sent.size() - 1));
      }
      for (int left = answer.readCount(sent.size()); left > 0; left--) {
        int place = answer.readCount(sent.size() - 1);
        sent.get(place).unknowable = true;
        refused.set(place);
        answered++;
      }
      for (int place = 0; place < sent.size(); place++) {
        if (!refused.get(place)) {
          sent.get(place).answered();
          answered++;
        }
      }
      if (answer.readBoolean()) {
        throw Callers.diskFull(part.getKey());
      }
    }
    return answered;
  }
}
