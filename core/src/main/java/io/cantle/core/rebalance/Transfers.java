package io.cantle.core.rebalance;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.replica.Received;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Role;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Fetches to a joining owner what earlier epochs left in its segments. A transfer is a scan that
 * the joiner pulls from the primary; the primary keeps nothing between two pulls, so that another
 * one can go on at the cursor. Writes of the present epoch come by themselves and are left out.
 * Each pull carries its count and a checksum, the last one the results of commands.
 *
 * <p>Few transfers are worked on at once, so none may wait for its primary while others could go
 * on: one that is refused or not answered goes to the end of the queue, and the next is taken.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Transfers run on virtual threads, at most
 * {@value #PARALLEL} at a time.
 */
public final class Transfers {
  private static final int PARALLEL = 4;

  /** How many pulls of others are answered at once; more are refused and asked again. */
  private static final int MAX_SERVING = 256;

  private static final int PULL_BYTES = 256 << 10;
  private static final int PULL_VISITS = 65_536;
  private static final long PULL_DEADLINE = TimeUnit.SECONDS.toNanos(2);
  private static final long RETRY_DELAY = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_RETRY_DELAY = TimeUnit.MILLISECONDS.toNanos(32);
  private static final long REPORT_AGAIN = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int OK = 1;
  private static final int REFUSED = 0;
  private static final System.Logger LOG = System.getLogger(Transfers.class.getName());

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final World world;
  private final Replicas replicas;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
  private final Map<Replica, Integer> received = new LinkedHashMap<>();
  private final AtomicInteger serving = new AtomicInteger();
  private int running;
  private boolean reporting;
  private volatile boolean closed;

  /**
   * A transfer that has its turn later.
   *
   * @param due when it may be asked for
   * @param delay how long it waits if it is refused once more
   */
  private record Waiting(Replica replica, int epoch, long due, long delay) {
    Waiting again(long now) {
      return new Waiting(replica, epoch, now + delay, Math.min(delay * 2, LONGEST_RETRY_DELAY));
    }
  }

  /** Transfers to these replicas. */
  public Transfers(Requests requests, TopologyKeeper topologies, World world, Replicas replicas) {
    this.requests = requests;
    this.topologies = topologies;
    this.world = world;
    this.replicas = replicas;
  }

  /** Begins to fetch what this node joins. */
  public void begin(List<Replicas.Changed> changed) {
    lock.lock();
    try {
      for (Replicas.Changed change : changed) {
        ReplicaState state = change.replica().state();
        if (state.role() == Role.JOINER) {
          long now = world.clock().nanoTime();
          queue.add(new Waiting(change.replica(), state.epoch(), now, RETRY_DELAY));
        }
      }
      // Those that run may all be waiting for an answer.
      for (int more = queue.size(); more > 0 && running < PARALLEL; more--) {
        running++;
        world.threads().execute(this::work);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Another grid is joined: what was to be fetched or told is of no interest there. */
  public void forget() {
    lock.lock();
    try {
      queue.clear();
      received.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Whether a replica is one of this node's grid, and not of one it has given up. */
  private boolean counts(Replica replica) {
    return replicas.find(replica.cache(), replica.segment()) == replica;
  }

  /** Fetches nothing more. */
  public void close() {
    closed = true;
  }

  private void work() {
    while (true) {
      Waiting next;
      lock.lock();
      try {
        Waiting first = closed ? null : queue.poll();
        if (first == null) {
          running--;
          return;
        }
        next = first;
      } finally {
        lock.unlock();
      }
      pause(next.due - requests.clock().nanoTime());
      try {
        if (!fetch(next.replica, next.epoch)) {
          again(next);
        }
      } catch (RuntimeException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "the transfer of segment " + next.replica.segment() + " failed and begins again",
            e);
        again(next);
      }
    }
  }

  /** It goes on where it was, for the cursor is the replica's. */
  private void again(Waiting waiting) {
    lock.lock();
    try {
      queue.add(waiting.again(requests.clock().nanoTime()));
    } finally {
      lock.unlock();
    }
  }

  /** Fetches all there is; false if it has to be tried again after others. */
  private boolean fetch(Replica replica, int epoch) {
    while (!closed && counts(replica)) {
      Cursor cursor = replica.transferCursor(epoch);
      if (cursor == null) {
        return true;
      }
      Input answer = pull(replica, epoch, cursor);
      if (answer == null || answer.readByte() == REFUSED) {
        return false;
      } else if (accept(replica, epoch, answer)) {
        received(replica, epoch);
        return true;
      }
    }
    return true;
  }

  private void pause(long nanos) {
    requests.clock().sleepNanos(this, nanos);
  }

  private @Nullable Input pull(Replica replica, int epoch, Cursor cursor) {
    Topology topology = topologies.current();
    if (replica.cache() >= topology.caches().size()) {
      return null;
    }
    Ownership ownership = topology.ownership(replica.cache(), replica.segment());
    if (ownership.epoch() != epoch || ownership.unowned()) {
      return null;
    }
    Member source = ownership.primary();
    Input answer =
        requests.call(
            source,
            Kind.TRANSFER,
            out -> {
              out.writeVarint(replica.cache());
              out.writeVarint(replica.segment());
              out.writeVarint(epoch);
              cursor.write(out);
            },
            requests.clock().nanoTime() + PULL_DEADLINE);
    if (answer == null) {
      topologies.asksAgain(source);
    } else {
      topologies.answered(source);
    }
    return answer;
  }

  /** Adds what a pull brought; true when it was the last. */
  private boolean accept(Replica replica, int epoch, Input in) {
    int checksum = in.readInt();
    CRC32C computed = new CRC32C();
    computed.update(in.array(), in.position(), in.remaining());
    if ((int) computed.getValue() != checksum) {
      throw new MalformedException("a transfer arrived with a wrong checksum");
    }
    long hashSeed = topologies.current().hashSeed();
    int count = in.readCount(in.remaining());
    List<Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      entries.add(readEntry(in, hashSeed));
    }
    Cursor next = Cursor.read(in);
    long index = in.readVarint();
    boolean last = next.equals(Cursor.END);
    if (last && !replica.mergeSessions(epoch, in)) {
      return false;
    }
    Received received = replica.transferred(epoch, index, entries, next);
    // Writes come from whoever was asked: if they do not, it may not answer the next pull either.
    long until = requests.clock().nanoTime() + PULL_DEADLINE;
    while (received == Received.NOT_YET
        && !closed
        && counts(replica)
        && requests.clock().nanoTime() - until < 0) {
      pause(RETRY_DELAY);
      received = replica.transferred(epoch, index, entries, next);
    }
    return last && received == Received.ADDED;
  }

  private static Entry readEntry(Input in, long hashSeed) {
    int epoch = in.readCount(Integer.MAX_VALUE);
    long index = in.readVarint();
    long stamp = in.readLong();
    boolean tombstone = in.readBoolean();
    int keyLength = in.readBlobLength();
    byte[] bytes = in.readBlob();
    if (keyLength > bytes.length) {
      throw new MalformedException(
          "a key of " + keyLength + " bytes is longer than its entry of " + bytes.length);
    }
    long hash = KeyHash.hash(hashSeed, bytes, 0, keyLength);
    return Entry.of(hash, bytes, keyLength, epoch, index, tombstone, stamp);
  }

  /** Tells the voters, and goes on telling until the epoch is over. */
  private void received(Replica replica, int epoch) {
    lock.lock();
    try {
      received.put(replica, epoch);
    } finally {
      lock.unlock();
    }
    report(replica, epoch);
    reportAgain();
  }

  private void report(Replica replica, int epoch) {
    // A replica of a grid that was given up may be of an epoch that this grid knows too.
    if (counts(replica) && replica.transferCursor(epoch) != null) {
      topologies.reportReceived(replica.cache(), replica.segment(), epoch);
    }
  }

  private void reportAgain() {
    lock.lock();
    try {
      received
          .entrySet()
          .removeIf(
              entry ->
                  !counts(entry.getKey())
                      || entry.getKey().transferCursor(entry.getValue()) == null);
      if (reporting || received.isEmpty() || closed) {
        return;
      }
      reporting = true;
    } finally {
      lock.unlock();
    }
    world
        .clock()
        .schedule(
            REPORT_AGAIN,
            () -> {
              List<Map.Entry<Replica, Integer>> open;
              lock.lock();
              try {
                reporting = false;
                open = List.copyOf(received.entrySet());
              } finally {
                lock.unlock();
              }
              open.forEach(entry -> report(entry.getKey(), entry.getValue()));
              reportAgain();
            });
  }

  /** A joiner asks for the next entries; answered on a thread that may wait for the network. */
  public void asked(Member from, long request, Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    int segment = in.readCount(Integer.MAX_VALUE);
    int epoch = in.readCount(Integer.MAX_VALUE);
    Cursor cursor = Cursor.read(in);
    if (serving.incrementAndGet() > MAX_SERVING) {
      serving.decrementAndGet();
      requests.post(from, refusal(request));
      return;
    }
    world
        .threads()
        .execute(
            () -> {
              try {
                requests.send(from, next(request, cache, segment, epoch, cursor));
              } finally {
                serving.decrementAndGet();
              }
            });
  }

  private Output next(long request, int cache, int segment, int epoch, Cursor cursor) {
    Replica replica = replicas.find(cache, segment);
    if (replica == null) {
      return refusal(request);
    }
    ReplicaState state = replica.state();
    if (!state.leads() || state.epoch() != epoch) {
      return refusal(request);
    }
    Output entries = new Output(PULL_BYTES + 4096);
    int[] counts = new int[2];
    Cursor next =
        replica
            .entries()
            .scan(
                cursor,
                entry -> {
                  if (entry.epoch() < epoch && (!entry.tombstone() || replica.keepsTombstones())) {
                    writeEntry(entries, entry);
                    counts[0]++;
                  }
                  counts[1]++;
                  return entries.position() >= PULL_BYTES || counts[1] >= PULL_VISITS
                      ? Visit.STOP_AFTER
                      : Visit.NEXT;
                });
    long index = replica.appliedAsPrimary(epoch);
    if (index < 0) {
      return refusal(request);
    }
    Output out = requests.answer(request, entries.position() + 256);
    out.writeByte(OK);
    int checksumAt = out.position();
    out.writeInt(0);
    out.writeVarint(counts[0]);
    out.write(entries.array(), 0, entries.position());
    next.write(out);
    out.writeVarint(index);
    if (next.equals(Cursor.END)) {
      replica.writeSessions(out);
    }
    CRC32C checksum = new CRC32C();
    int begin = checksumAt + Integer.BYTES;
    checksum.update(out.array(), begin, out.position() - begin);
    out.patchInt(checksumAt, (int) checksum.getValue());
    return state.same(replica.state()) ? out : refusal(request);
  }

  private Output refusal(long request) {
    Output out = requests.answer(request, 4);
    out.writeByte(REFUSED);
    return out;
  }

  private static void writeEntry(Output out, Entry entry) {
    out.writeVarint(entry.epoch());
    out.writeVarint(entry.index());
    out.writeLong(entry.markedStamp());
    out.writeBoolean(entry.tombstone());
    out.writeVarint(entry.keyLength());
    out.writeVarint(entry.bytes().length);
    out.write(entry.bytes());
  }
}
