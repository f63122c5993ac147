package io.cantle.core.operate;

import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.PartialWriteException;
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
    Topology topology = place.awaitThere(callers.deadline());
    int cache = place.in(topology);
    int segments = topology.caches().get(cache).definition().config().segments();
    if (topologies.cutOff()) {
      throw Callers.notAvailable();
    }
    Flight flight = new Flight(world.clock());
    TreeMap<Member, Chunk> chunks = new TreeMap<>();
    try {
      sendAll(cache, writes, topology, segments, flight, chunks);
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
      int cache,
      Iterator<KeyWrite> writes,
      Topology topology,
      int segments,
      Flight flight,
      NavigableMap<Member, Chunk> chunks) {
    while (writes.hasNext() && flight.failure() == null) {
      KeyWrite write = writes.next();
      long hash = KeyHash.hash(topology.hashSeed(), write.key(), 0, write.key().length);
      int segment = KeyHash.segment(hash, segments);
      PendingWrite pending =
          new PendingWrite(segment, write, callers.session().sequences(cache, segment));
      Member primary = primary(flight, cache, pending);
      Chunk chunk = chunks.computeIfAbsent(primary, member -> new Chunk());
      chunk.items.add(pending);
      chunk.bytes += write.sizeBytes();
      if (chunk.items.size() >= CHUNK_ITEMS || chunk.bytes >= CHUNK_BYTES) {
        chunks.remove(primary);
        start(flight, cache, chunk);
      }
    }
    while (!chunks.isEmpty() && flight.failure() == null) {
      start(flight, cache, chunks.pollFirstEntry().getValue());
    }
  }

  private Member primary(Flight flight, int cache, PendingWrite pending) {
    try {
      return Callers.ownership(topologies.current(), cache, pending.segment).primary();
    } catch (GridException e) {
      flight.unwritten(List.of(pending));
      throw e;
    }
  }

  private static final class Chunk {
    final List<PendingWrite> items = new ArrayList<>();
    int bytes;
  }

  private void start(Flight flight, int cache, Chunk chunk) {
    flight.await(PARALLEL - 1);
    flight.open.incrementAndGet();
    try {
      world.threads().execute(() -> send(flight, cache, chunk));
    } catch (RejectedExecutionException e) {
      flight.unwritten(chunk.items);
      flight.ended(new GridException("the node is closed", e));
    }
  }

  private void send(Flight flight, int cache, Chunk chunk) {
    RuntimeException thrown = null;
    try {
      send(cache, chunk.items);
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

  private void send(int cache, List<PendingWrite> all) {
    long deadline = callers.deadline();
    Session session = callers.session();
    Pause pause = new Pause(world.clock(), topologies);
    Patience patience = new Patience(world.clock());
    try {
      for (int left = all.size(); left > 0; ) {
        Topology topology = topologies.current();
        if (!session.equals(callers.session()) || topology.caches().size() <= cache) {
          throw new IndeterminateException(
              left
                  + " of "
                  + all.size()
                  + " writes sent together were under way when this node was excluded from the"
                  + " grid");
        }
        begin(all, deadline);
        int answered = round(topology, cache, session, all, patience.until(deadline));
        left -= answered;
        if (left > 0 && (world.clock().nanoTime() - deadline >= 0 || topologies.cutOff())) {
          throw new IndeterminateException(
              left
                  + " of "
                  + all.size()
                  + " writes sent together got no answer within "
                  + callers.timeoutText());
        }
        if (left > 0 && answered == 0) {
          pause.await(topology.number(), deadline);
        } else {
          deadline = callers.deadline();
        }
      }
    } finally {
      all.forEach(PendingWrite::abandon);
    }
  }

  /**
   * Gives a sequence to every write there is room for. Waits for room only while nothing of this
   * message is open: of two that hold what the other waits for, neither would go on.
   */
  private static void begin(List<PendingWrite> all, long deadline) {
    PendingWrite first = null;
    boolean open = false;
    for (PendingWrite pending : all) {
      if (pending.sequence == 0) {
        pending.sequence = pending.sequences.tryBegin(pending.write.operation());
        first = first == null && pending.sequence == 0 ? pending : first;
      }
      open |= pending.open();
    }
    if (!open && first != null) {
      first.sequence = first.sequences.begin(first.write.operation(), deadline);
    }
  }

  /** Sends what has no answer to the present primaries; returns how many have one now. */
  private int round(
      Topology topology, int cache, Session session, List<PendingWrite> all, long until) {
    TreeMap<Member, List<PendingWrite>> byPrimary = new TreeMap<>();
    for (PendingWrite pending : all) {
      if (pending.open()) {
        Ownership ownership = ownership(topology, cache, pending.segment);
        byPrimary.computeIfAbsent(ownership.primary(), member -> new ArrayList<>()).add(pending);
      }
    }
    int answered = 0;
    for (var part : byPrimary.entrySet()) {
      List<PendingWrite> sent = part.getValue();
      List<BulkItem> items = new ArrayList<>(sent.size());
      for (PendingWrite pending : sent) {
        pending.sent = true;
        items.add(
            new BulkItem(
                pending.segment,
                topology.ownership(cache, pending.segment).epoch(),
                pending.sequence,
                pending.sequences.lowest(),
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
      for (int place = 0; place < sent.size(); place++) {
        if (!refused.get(place)) {
          sent.get(place).answered();
          answered++;
        }
      }
    }
    return answered;
  }

  private static Ownership ownership(Topology topology, int cache, int segment) {
    try {
      return Callers.ownership(topology, cache, segment);
    } catch (GridException e) {
      throw new IndeterminateException("some of many writes may have happened: " + e.getMessage());
    }
  }
}
