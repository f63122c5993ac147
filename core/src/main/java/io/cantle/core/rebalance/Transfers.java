package io.cantle.core.rebalance;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.replica.Expiring;
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
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Fetches to a joining owner what earlier epochs left in its segments. A transfer is a scan that
 * the joiner pulls from the primary; the primary keeps nothing between two pulls, so that another
 * one can go on at the cursor. Writes of the present epoch come by themselves and are left out.
 * Each pull carries its count and a checksum, the last one the results of commands.
 *
 * <p>Few transfers are worked on at once, so none may wait while others could go on: one that is
 * refused or not answered, or whose entries come before writes they count on, waits on the clock
 * and then at the end of the queue. Whose epoch is over waits for no answer any more.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Transfers run on virtual threads, at most
 * {@value #PARALLEL} at a time.
 */
public final class Transfers {
  private static final int PARALLEL = 4;

  /** How many keep what they cannot add yet; others ask for it again. */
  private static final int MAX_HELD = 16;

  private static final int PULL_BYTES = 256 << 10;

  /** What an answer takes until it has left: as it is made, and as it is sent. */
  private static final int ANSWER_BYTES = 2 * PULL_BYTES;

  private static final int PULL_VISITS = 65_536;
  private static final long PULL_DEADLINE = TimeUnit.SECONDS.toNanos(2);
  private static final long RETRY_DELAY = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_RETRY_DELAY = TimeUnit.MILLISECONDS.toNanos(32);
  private static final long REPORT_AGAIN = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int OK = 1;
  private static final int REFUSED = 0;
  private static final int PLAIN = 0;
  private static final int REMOVED = 1;
  private static final int LASTING = 2;
  private static final System.Logger LOG = System.getLogger(Transfers.class.getName());

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final World world;
  private final Replicas replicas;
  private final Expiring expiring;
  private final MemoryAccount memory;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
  private final Map<Replica, Integer> received = new LinkedHashMap<>();
  private int running;
  private int held;
  private boolean reporting;
  private volatile boolean closed;

  /**
   * A transfer that waits for its turn.
   *
   * @param delay how long it waits if it gets no further
   * @param pulled what it has been given and cannot add yet
   */
  private record Waiting(Replica replica, int epoch, long delay, @Nullable Pulled pulled) {
    Waiting with(@Nullable Pulled held) {
      return new Waiting(replica, epoch, delay, held);
    }

    Waiting again(boolean keeps) {
      long longer = Math.min(delay * 2, LONGEST_RETRY_DELAY);
      return new Waiting(replica, epoch, longer, keeps ? pulled : null);
    }
  }

  /**
   * What a pull brought.
   *
   * @param index how far the primary had come
   * @param next where the next pull begins
   * @param segmentMillis the time of the segment there, -1 if it has not begun
   * @param until for how long the writes up to there are waited for
   */
  private record Pulled(
      long index, List<Entry> entries, Cursor next, long segmentMillis, long until) {
    boolean isLast() {
      return next.equals(Cursor.END);
    }
  }

  /** Transfers to these replicas. */
  public Transfers(
      Requests requests,
      TopologyKeeper topologies,
      World world,
      Replicas replicas,
      Expiring expiring,
      MemoryAccount memory) {
    this.memory = memory;
    this.requests = requests;
    this.topologies = topologies;
    this.world = world;
    this.replicas = replicas;
    this.expiring = expiring;
  }

  /**
   * Begins to fetch what this node joins. What it has received in an earlier epoch it still has,
   * and says so at once: nobody may be left to fetch it from.
   */
  public void begin(List<Replicas.Changed> changed) {
    List<Replicas.Changed> whole = new ArrayList<>();
    lock.lock();
    try {
      for (Replicas.Changed change : changed) {
        ReplicaState state = change.replica().state();
        if (state.role() != Role.JOINER) {
          continue;
        }
        if (change.replica().holdsEverything()) {
          whole.add(change);
        } else if (!change.ownership().unowned()) {
          queue.add(new Waiting(change.replica(), state.epoch(), RETRY_DELAY, null));
        }
      }
      workMore();
    } finally {
      lock.unlock();
    }
    for (Replicas.Changed change : whole) {
      Replica replica = change.replica();
      int epoch = change.ownership().epoch();
      replica.whenKept(() -> received(replica, epoch));
    }
  }

  /** Another grid is joined: what was to be fetched or told is of no interest there. */
  public void forget() {
    lock.lock();
    try {
      held -= (int) queue.stream().filter(waiting -> waiting.pulled != null).count();
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

  /** Those that run may all be waiting for an answer. */
  private void workMore() {
    for (int more = queue.size(); more > 0 && running < PARALLEL; more--) {
      running++;
      world.threads().execute(this::work);
    }
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
        held -= next.pulled == null ? 0 : 1;
      } finally {
        lock.unlock();
      }
      try {
        Waiting left = fetch(next);
        if (left != null) {
          later(left);
        }
      } catch (RuntimeException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "the transfer of segment " + next.replica.segment() + " failed and begins again",
            e);
        later(next.with(null));
      }
    }
  }

  /** It goes on where it was, for the cursor is the replica's. */
  private void later(Waiting waiting) {
    Waiting again;
    lock.lock();
    try {
      again = waiting.again(held < MAX_HELD);
      held += again.pulled == null ? 0 : 1;
    } finally {
      lock.unlock();
    }
    world
        .clock()
        .schedule(
            waiting.delay,
            () -> {
              lock.lock();
              try {
                queue.add(again);
                workMore();
              } finally {
                lock.unlock();
              }
            });
  }

  /** Fetches all there is; returns what has to be tried again after others, or null. */
  private @Nullable Waiting fetch(Waiting waiting) {
    Replica replica = waiting.replica;
    int epoch = waiting.epoch;
    Pulled pulled = waiting.pulled;
    while (!closed && counts(replica)) {
      if (pulled == null) {
        Cursor cursor = replica.transferCursor(epoch);
        if (cursor == null) {
          return null;
        }
        if (replica.isFull()) {
          // Writes, which others wait for, would stand behind whatever is fetched faster.
          return waiting.with(null);
        }
        Input answer = pull(replica, epoch, cursor);
        if (answer == null || answer.readByte() == REFUSED) {
          return waiting.with(null);
        }
        pulled = read(answer);
        if (pulled.isLast() && !replica.mergeSessions(epoch, answer)) {
          return null;
        }
      }
      Received received =
          replica.transferred(
              epoch, pulled.index, pulled.entries, pulled.next, pulled.segmentMillis);
      if (received == Received.NOT_YET && requests.clock().nanoTime() - pulled.until < 0) {
        return waiting.with(pulled);
      }
      if (received == Received.ADDED && pulled.isLast()) {
        replica.whenKept(() -> received(replica, epoch));
        return null;
      }
      pulled = null;
    }
    return null;
  }

  private boolean isOver(Replica replica, int epoch) {
    return closed || replica.transferCursor(epoch) == null;
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
            requests.clock().nanoTime() + PULL_DEADLINE,
            () -> isOver(replica, epoch));
    if (answer != null) {
      topologies.answered(source);
    } else if (!isOver(replica, epoch)) {
      topologies.asksAgain(source);
    }
    return answer;
  }

  /** Reads what a pull brought, up to the results of commands. */
  private Pulled read(Input in) {
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
    long segmentMillis = in.readVarint() - 1;
    // Writes come from whoever was asked: if they do not, it may not answer the next pull either.
    long until = requests.clock().nanoTime() + PULL_DEADLINE;
    return new Pulled(index, entries, next, segmentMillis, until);
  }

  private static Entry readEntry(Input in, long hashSeed) {
    int epoch = in.readCount(Integer.MAX_VALUE);
    long index = in.readVarint();
    long stamp = in.readLong();
    int form = in.readByte();
    boolean tombstone = form == REMOVED;
    Deadline deadline = form == LASTING ? Deadline.read(in) : null;
    int keyLength = in.readBlobLength();
    byte[] bytes = in.readBlob();
    if (keyLength > bytes.length) {
      throw new MalformedException(
          "a key of " + keyLength + " bytes is longer than its entry of " + bytes.length);
    }
    long hash = KeyHash.hash(hashSeed, bytes, 0, keyLength);
    return Entry.of(hash, bytes, keyLength, epoch, index, tombstone, stamp, deadline);
  }

  /** Tells the voters, and goes on telling until the epoch is over. */
  private void received(Replica replica, int epoch) {
    lock.lock();
    try {
      // That an earlier epoch is on disk may be said after that of a later one.
      received.merge(replica, epoch, Math::max);
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
    if (!memory.tryReserve(ANSWER_BYTES)) {
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
                memory.release(ANSWER_BYTES);
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
    expiring.settle(replica);
    Output entries = new Output(PULL_BYTES + 4096);
    int[] counts = new int[2];
    Cursor next =
        replica
            .values()
            .scan(
                cursor,
                entry -> isMissing(replica, epoch, entry),
                entry -> {
                  if (isMissing(replica, epoch, entry)) {
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
    out.writeVarint(replica.aging().segmentMillis() + 1);
    if (next.equals(Cursor.END)) {
      replica.writeSessions(out);
    }
    CRC32C checksum = new CRC32C();
    int begin = checksumAt + Integer.BYTES;
    checksum.update(out.array(), begin, out.position() - begin);
    out.patchInt(checksumAt, (int) checksum.getValue());
    return state.same(replica.state()) ? out : refusal(request);
  }

  /** Whether a joiner has to be sent an entry; what is of this epoch it gets as it is written. */
  private static boolean isMissing(Replica replica, int epoch, Entry entry) {
    // What a tick of this epoch has ended a joiner may never have had.
    return entry.tombstone() ? replica.keepsTombstones() : entry.epoch() < epoch;
  }

  private Output refusal(long request) {
    Output out = requests.answer(request, 4);
    out.writeByte(REFUSED);
    return out;
  }

  private static void writeEntry(Output out, Entry entry) {
    entry.mustBeWhole();
    out.writeVarint(entry.epoch());
    out.writeVarint(entry.index());
    out.writeLong(entry.markedStamp());
    Deadline deadline = entry.deadline();
    out.writeByte(entry.tombstone() ? REMOVED : deadline != null ? LASTING : PLAIN);
    if (deadline != null) {
      deadline.write(out);
    }
    out.writeVarint(entry.keyLength());
    out.writeVarint(entry.bytes().length);
    out.write(entry.bytes());
  }
}
