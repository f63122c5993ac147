package io.cantle.core.operate;

import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Slice;
import io.cantle.core.base.World;
import io.cantle.core.operate.Writers.BulkItem;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Patience;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

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

  /** Carries all writes out; those of one message are in flight together. */
  public void write(CachePlace place, Iterator<KeyWrite> writes) {
    Topology topology = place.awaitThere(callers.deadline());
    int cache = place.in(topology);
    int segments = topology.caches().get(cache).definition().config().segments();
    Flight flight = new Flight(world.clock());
    TreeMap<Member, Chunk> chunks = new TreeMap<>();
    try {
      sendAll(cache, writes, topology, segments, flight, chunks);
    } catch (GridException e) {
      flight.failure.compareAndSet(null, e);
    } finally {
      flight.await(0);
    }
    RuntimeException failure = flight.failure();
    if (failure instanceof GridException
        && !(failure instanceof IndeterminateException)
        && flight.started > 0) {
      throw new IndeterminateException(
          "some of many writes may have happened: " + failure.getMessage());
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void sendAll(
      int cache,
      Iterator<KeyWrite> writes,
      Topology topology,
      int segments,
      Flight flight,
      Map<Member, Chunk> chunks) {
    while (writes.hasNext() && flight.failure() == null) {
      KeyWrite write = writes.next();
      long hash = KeyHash.hash(topology.hashSeed(), write.key(), 0, write.key().length);
      int segment = KeyHash.segment(hash, segments);
      Member primary = Callers.ownership(topologies.current(), cache, segment).primary();
      Chunk chunk = chunks.computeIfAbsent(primary, member -> new Chunk());
      chunk.items.add(new Pending(segment, write));
      chunk.bytes += write.sizeBytes();
      if (chunk.items.size() >= CHUNK_ITEMS || chunk.bytes >= CHUNK_BYTES) {
        chunks.remove(primary);
        start(flight, cache, chunk);
      }
    }
    chunks.values().forEach(chunk -> start(flight, cache, chunk));
  }

  private static final class Chunk {
    final List<Pending> items = new ArrayList<>();
    int bytes;
  }

  private record Pending(int segment, KeyWrite write) {}

  /** The messages of one call that are under way. */
  private static final class Flight {
    private final Clock clock;
    private final Thread caller = Thread.currentThread();
    private final AtomicInteger open = new AtomicInteger();
    private int started;
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    Flight(Clock clock) {
      this.clock = clock;
    }

    @Nullable RuntimeException failure() {
      return failure.get();
    }

    /** Waits until at most so many are under way; each of them ends by its own deadline. */
    void await(int most) {
      boolean interrupted = false;
      while (open.get() > most) {
        clock.parkNanos(this, TimeUnit.HOURS.toNanos(1));
        interrupted |= Thread.interrupted();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    void ended(@Nullable RuntimeException thrown) {
      if (thrown != null) {
        failure.compareAndSet(null, thrown);
      }
      open.decrementAndGet();
      LockSupport.unpark(caller);
    }
  }

  private void start(Flight flight, int cache, Chunk chunk) {
    flight.await(PARALLEL - 1);
    flight.open.incrementAndGet();
    flight.started++;
    try {
      world.threads().execute(() -> send(flight, cache, chunk));
    } catch (RejectedExecutionException e) {
      flight.ended(new GridException("the node is closed", e));
    }
  }

  private void send(Flight flight, int cache, Chunk chunk) {
    RuntimeException thrown = null;
    try {
      send(cache, chunk.items);
    } catch (RuntimeException e) {
      thrown = e;
    } catch (Error e) {
      thrown = new IndeterminateException("some of many writes may have happened: " + e);
      throw e;
    } finally {
      flight.ended(thrown);
    }
  }

  private void send(int cache, List<Pending> all) {
    long deadline = callers.deadline();
    Session session = callers.session();
    long first = session.begin(all.size(), deadline);
    boolean[] answered = new boolean[all.size()];
    Pause pause = new Pause(world.clock(), topologies);
    Patience patience = new Patience(world.clock());
    try {
      for (int open = all.size(); open > 0; ) {
        Topology topology = topologies.current();
        if (!session.equals(callers.session()) || topology.caches().size() <= cache) {
          throw new IndeterminateException(
              open
                  + " of "
                  + all.size()
                  + " writes sent together were under way when this node was excluded from the"
                  + " grid; they may have been written");
        }
        int left = round(topology, cache, session, all, first, answered, patience.until(deadline));
        if (left > 0) {
          if (world.clock().nanoTime() - deadline >= 0 || topologies.cutOff()) {
            throw new IndeterminateException(
                left
                    + " of "
                    + all.size()
                    + " writes sent together got no answer within "
                    + callers.timeoutText()
                    + "; they may have been written: write them again if that does no harm");
          }
          if (left == open) {
            pause.await(topology.number(), deadline);
          } else {
            deadline = callers.deadline();
          }
        }
        open = left;
      }
    } finally {
      for (int i = 0; i < all.size(); i++) {
        session.end(first + i);
      }
    }
  }

  /** Sends what has no answer to the present primaries, one after the other. */
  private int round(
      Topology topology,
      int cache,
      Session session,
      List<Pending> all,
      long first,
      boolean[] answered,
      long until) {
    TreeMap<Member, List<Integer>> byPrimary = new TreeMap<>();
    for (int i = 0; i < all.size(); i++) {
      if (!answered[i]) {
        Ownership ownership = ownership(topology, cache, all.get(i).segment());
        byPrimary.computeIfAbsent(ownership.primary(), member -> new ArrayList<>()).add(i);
      }
    }
    int left = 0;
    for (var part : byPrimary.entrySet()) {
      List<Integer> places = part.getValue();
      List<BulkItem> items = new ArrayList<>(places.size());
      for (int place : places) {
        Pending pending = all.get(place);
        int epoch = topology.ownership(cache, pending.segment()).epoch();
        Slice key = Slice.of(pending.write().key());
        items.add(
            new BulkItem(
                pending.segment(), epoch, first + place, key, pending.write().operation()));
      }
      Input answer = callers.bulk(topology, cache, session, part.getKey(), items, until);
      if (answer == null || !answer.readBoolean()) {
        left += places.size();
        continue;
      }
      places.forEach(place -> answered[place] = true);
      int refused = answer.readCount(places.size());
      for (int i = 0; i < refused; i++) {
        answered[places.get(answer.readCount(places.size() - 1))] = false;
      }
      left += refused;
    }
    return left;
  }

  private static Ownership ownership(Topology topology, int cache, int segment) {
    try {
      return Callers.ownership(topology, cache, segment);
    } catch (GridException e) {
      throw new IndeterminateException("some of many writes may have happened: " + e.getMessage());
    }
  }
}
