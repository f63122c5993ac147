package io.cantle.core.rebalance;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.container.SegmentEntries.VisitResult;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaRole;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.TransferResult;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.SegmentOwnership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
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
 * {@value #MAX_PARALLEL_TRANSFERS} at a time.
 */
public final class StateTransfer {
  private static final int MAX_PARALLEL_TRANSFERS = 4;

  /** How many keep what they cannot add yet; others ask for it again. */
  private static final int MAX_HELD_BATCHES = 16;

  private static final int MAX_PULL_BYTES = 256 << 10;

  /** What an answer takes until it has left: as it is made, and as it is sent. */
  private static final int MAX_ANSWER_BYTES = 2 * MAX_PULL_BYTES;

  private static final int MAX_PULL_VISITS = 65_536;
  private static final long PULL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MIN_RETRY_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long MAX_RETRY_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(32);
  private static final long REPORT_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int OK = 1;
  private static final int REFUSED = 0;
  private static final int PLAIN = 0;
  private static final int REMOVED = 1;
  private static final int EXPIRING = 2;
  private static final System.Logger LOG = System.getLogger(StateTransfer.class.getName());

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final Environment environment;
  private final ReplicaTable replicas;
  private final ExpiryTrigger expiryTrigger;
  private final MemoryAccount memory;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<QueuedTransfer> queue = new ArrayDeque<>();
  private final Map<Replica, Integer> completedEpochs = new LinkedHashMap<>();
  private int runningCount;
  private int heldBatches;
  private boolean reportScheduled;
  private volatile boolean closed;

  /**
   * A transfer that waits for its turn.
   *
   * @param delayNanos how long it waits if it gets no further
   * @param batch what it has been given and cannot add yet
   */
  private record QueuedTransfer(
      Replica replica, int epoch, long delayNanos, @Nullable PulledBatch batch) {
    QueuedTransfer withBatch(@Nullable PulledBatch held) {
      return new QueuedTransfer(replica, epoch, delayNanos, held);
    }

    QueuedTransfer withLongerDelay(boolean keeps) {
      long longer = Math.min(delayNanos * 2, MAX_RETRY_DELAY_NANOS);
      return new QueuedTransfer(replica, epoch, longer, keeps ? batch : null);
    }
  }

  /**
   * What a pull brought.
   *
   * @param primaryIndex how far the primary had come
   * @param nextCursor where the next pull begins
   * @param segmentMillis the time of the segment there, -1 if it has not begun
   * @param waitDeadlineNanos for how long the writes up to there are waited for
   */
  private record PulledBatch(
      long primaryIndex,
      List<Entry> entries,
      SegmentCursor nextCursor,
      long segmentMillis,
      long waitDeadlineNanos) {
    boolean isLast() {
      return nextCursor.equals(SegmentCursor.END);
    }
  }

  /** Transfers to these replicas. */
  public StateTransfer(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      Environment environment,
      ReplicaTable replicas,
      ExpiryTrigger expiryTrigger,
      MemoryAccount memory) {
    this.memory = memory;
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.environment = environment;
    this.replicas = replicas;
    this.expiryTrigger = expiryTrigger;
  }

  /**
   * Begins to fetch what this node joins. What it has received in an earlier epoch it still has,
   * and says so at once: nobody may be left to fetch it from.
   */
  public void onEpochsEntered(List<ReplicaTable.ReplicaChange> changed) {
    List<ReplicaTable.ReplicaChange> whole = new ArrayList<>();
    lock.lock();
    try {
      for (ReplicaTable.ReplicaChange change : changed) {
        ReplicaState state = change.replica().state();
        if (state.role() != ReplicaRole.JOINER) {
          continue;
        }
        if (change.replica().holdsEverything()) {
          whole.add(change);
        } else if (!change.ownership().isUnowned()) {
          queue.add(
              new QueuedTransfer(change.replica(), state.epoch(), MIN_RETRY_DELAY_NANOS, null));
        }
      }
      startWorkers();
    } finally {
      lock.unlock();
    }
    for (ReplicaTable.ReplicaChange change : whole) {
      Replica replica = change.replica();
      int epoch = change.ownership().epoch();
      replica.whenOnDisk(() -> onTransferComplete(replica, epoch));
    }
  }

  /** Another grid is joined: what was to be fetched or told is of no interest there. */
  public void reset() {
    lock.lock();
    try {
      heldBatches -= (int) queue.stream().filter(transfer -> transfer.batch != null).count();
      queue.clear();
      completedEpochs.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Whether a replica is one of this node's grid, and not of one it has given up. */
  private boolean isCurrent(Replica replica) {
    return replicas.find(replica.cache(), replica.segment()) == replica;
  }

  /** Fetches nothing more. */
  public void close() {
    closed = true;
  }

  /** Those that run may all be waiting for an answer. */
  private void startWorkers() {
    for (int more = queue.size(); more > 0 && runningCount < MAX_PARALLEL_TRANSFERS; more--) {
      runningCount++;
      environment.threads().execute(this::runTransfers);
    }
  }

  private void runTransfers() {
    while (true) {
      QueuedTransfer next;
      lock.lock();
      try {
        QueuedTransfer first = closed ? null : queue.poll();
        if (first == null) {
          runningCount--;
          return;
        }
        next = first;
        heldBatches -= next.batch == null ? 0 : 1;
      } finally {
        lock.unlock();
      }
      try {
        QueuedTransfer left = fetch(next);
        if (left != null) {
          requeueLater(left);
        }
      } catch (RuntimeException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "the transfer of segment " + next.replica.segment() + " failed and begins again",
            e);
        requeueLater(next.withBatch(null));
      }
    }
  }

  /** It goes on where it was, for the cursor is the replica's. */
  private void requeueLater(QueuedTransfer transfer) {
    QueuedTransfer again;
    lock.lock();
    try {
      again = transfer.withLongerDelay(heldBatches < MAX_HELD_BATCHES);
      heldBatches += again.batch == null ? 0 : 1;
    } finally {
      lock.unlock();
    }
    environment
        .clock()
        .schedule(
            transfer.delayNanos,
            () -> {
              lock.lock();
              try {
                queue.add(again);
                startWorkers();
              } finally {
                lock.unlock();
              }
            });
  }

  /** Fetches all there is; returns what has to be tried again after others, or null. */
  private @Nullable QueuedTransfer fetch(QueuedTransfer transfer) {
    Replica replica = transfer.replica;
    int epoch = transfer.epoch;
    PulledBatch batch = transfer.batch;
    while (!closed && isCurrent(replica)) {
      if (batch == null) {
        SegmentCursor cursor = replica.transferCursor(epoch);
        if (cursor == null) {
          return null;
        }
        if (replica.isFull()) {
          // Writes, which others wait for, would stand behind whatever is fetched faster.
          return transfer.withBatch(null);
        }
        Input answer = pull(replica, epoch, cursor);
        if (answer == null || answer.readByte() == REFUSED) {
          return transfer.withBatch(null);
        }
        batch = readBatch(answer);
        if (batch.isLast() && !replica.mergeSessions(epoch, answer)) {
          return null;
        }
      }
      TransferResult received =
          replica.applyTransfer(
              epoch, batch.primaryIndex, batch.entries, batch.nextCursor, batch.segmentMillis);
      if (received == TransferResult.NOT_YET
          && messaging.clock().nanoTime() - batch.waitDeadlineNanos < 0) {
        return transfer.withBatch(batch);
      }
      if (received == TransferResult.ADDED && batch.isLast()) {
        replica.whenOnDisk(() -> onTransferComplete(replica, epoch));
        return null;
      }
      batch = null;
    }
    return null;
  }

  private boolean isEpochOver(Replica replica, int epoch) {
    return closed || replica.transferCursor(epoch) == null;
  }

  private @Nullable Input pull(Replica replica, int epoch, SegmentCursor cursor) {
    Topology topology = topologyDriver.current();
    if (replica.cache() >= topology.caches().size()) {
      return null;
    }
    SegmentOwnership ownership = topology.ownership(replica.cache(), replica.segment());
    if (ownership.epoch() != epoch || ownership.isUnowned()) {
      return null;
    }
    Member source = ownership.primary();
    Input answer =
        messaging.call(
            source,
            MessageKind.TRANSFER,
            out -> {
              out.writeVarint(replica.cache());
              out.writeVarint(replica.segment());
              out.writeVarint(epoch);
              cursor.write(out);
            },
            messaging.clock().nanoTime() + PULL_TIMEOUT_NANOS,
            () -> isEpochOver(replica, epoch));
    if (answer != null) {
      topologyDriver.recordAnswer(source);
    } else if (!isEpochOver(replica, epoch)) {
      topologyDriver.recordUnanswered(source);
    }
    return answer;
  }

  /** Reads what a pull brought, up to the results of commands. */
  private PulledBatch readBatch(Input in) {
    int checksum = in.readInt();
    CRC32C computed = new CRC32C();
    computed.update(in.array(), in.position(), in.remaining());
    if ((int) computed.getValue() != checksum) {
      throw new MalformedException("a transfer arrived with a wrong checksum");
    }
    long hashSeed = topologyDriver.current().hashSeed();
    int count = in.readCount(in.remaining());
    List<Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      entries.add(readEntry(in, hashSeed));
    }
    SegmentCursor next = SegmentCursor.read(in);
    long index = in.readVarint();
    long segmentMillis = in.readVarint() - 1;
    // Writes come from whoever was asked: if they do not, it may not answer the next pull either.
    long until = messaging.clock().nanoTime() + PULL_TIMEOUT_NANOS;
    return new PulledBatch(index, entries, next, segmentMillis, until);
  }

  private static Entry readEntry(Input in, long hashSeed) {
    int epoch = in.readCount(Integer.MAX_VALUE);
    long index = in.readVarint();
    long stamp = in.readLong();
    int form = in.readByte();
    boolean tombstone = form == REMOVED;
    ExpiryTime expiryTime = form == EXPIRING ? ExpiryTime.read(in) : null;
    int keyLength = in.readBlobLength();
    byte[] bytes = in.readBlob();
    if (keyLength > bytes.length) {
      throw new MalformedException(
          "a key of " + keyLength + " bytes is longer than its entry of " + bytes.length);
    }
    long hash = KeyHash.hash(hashSeed, bytes, 0, keyLength);
    return Entry.of(hash, bytes, keyLength, epoch, index, tombstone, stamp, expiryTime);
  }

  /** Tells the voters, and goes on telling until the epoch is over. */
  private void onTransferComplete(Replica replica, int epoch) {
    lock.lock();
    try {
      // That an earlier epoch is on disk may be said after that of a later one.
      completedEpochs.merge(replica, epoch, Math::max);
    } finally {
      lock.unlock();
    }
    report(replica, epoch);
    scheduleReports();
  }

  private void report(Replica replica, int epoch) {
    // A replica of a grid that was given up may be of an epoch that this grid knows too.
    if (isCurrent(replica) && replica.transferCursor(epoch) != null) {
      topologyDriver.reportReceived(replica.cache(), replica.segment(), epoch);
    }
  }

  private void scheduleReports() {
    lock.lock();
    try {
      completedEpochs
          .entrySet()
          .removeIf(
              entry ->
                  !isCurrent(entry.getKey())
                      || entry.getKey().transferCursor(entry.getValue()) == null);
      if (reportScheduled || completedEpochs.isEmpty() || closed) {
        return;
      }
      reportScheduled = true;
    } finally {
      lock.unlock();
    }
    environment
        .clock()
        .schedule(
            REPORT_INTERVAL_NANOS,
            () -> {
              List<Map.Entry<Replica, Integer>> open;
              lock.lock();
              try {
                reportScheduled = false;
                open = List.copyOf(completedEpochs.entrySet());
              } finally {
                lock.unlock();
              }
              open.forEach(entry -> report(entry.getKey(), entry.getValue()));
              scheduleReports();
            });
  }

  /** A joiner asks for the next entries; answered on a thread that may wait for the network. */
  public void onPull(Member from, long request, Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    int segment = in.readCount(Integer.MAX_VALUE);
    int epoch = in.readCount(Integer.MAX_VALUE);
    SegmentCursor cursor = SegmentCursor.read(in);
    if (!memory.tryReserve(MAX_ANSWER_BYTES)) {
      messaging.post(from, refusal(request));
      return;
    }
    environment
        .threads()
        .execute(
            () -> {
              try {
                messaging.send(from, answerPull(request, cache, segment, epoch, cursor));
              } finally {
                memory.release(MAX_ANSWER_BYTES);
              }
            });
  }

  private Output answerPull(long request, int cache, int segment, int epoch, SegmentCursor cursor) {
    Replica replica = replicas.find(cache, segment);
    if (replica == null) {
      return refusal(request);
    }
    ReplicaState state = replica.state();
    if (!state.isActivePrimary() || state.epoch() != epoch) {
      return refusal(request);
    }
    expiryTrigger.expireDue(replica);
    Output entries = new Output(MAX_PULL_BYTES + 4096);
    int[] counts = new int[2];
    SegmentCursor next =
        replica
            .valueResidency()
            .scan(
                cursor,
                entry -> isMissing(replica, epoch, entry),
                entry -> {
                  if (isMissing(replica, epoch, entry)) {
                    writeEntry(entries, entry);
                    counts[0]++;
                  }
                  counts[1]++;
                  return entries.position() >= MAX_PULL_BYTES || counts[1] >= MAX_PULL_VISITS
                      ? VisitResult.STOP_AFTER
                      : VisitResult.CONTINUE;
                });
    long index = replica.appliedAsPrimary(epoch);
    if (index < 0) {
      return refusal(request);
    }
    Output out = messaging.newResponse(request, entries.position() + 256);
    out.writeByte(OK);
    int checksumAt = out.position();
    out.writeInt(0);
    out.writeVarint(counts[0]);
    out.write(entries.array(), 0, entries.position());
    next.write(out);
    out.writeVarint(index);
    out.writeVarint(replica.expiry().segmentMillis() + 1);
    if (next.equals(SegmentCursor.END)) {
      replica.writeSessions(out);
    }
    CRC32C checksum = new CRC32C();
    int begin = checksumAt + Integer.BYTES;
    checksum.update(out.array(), begin, out.position() - begin);
    out.patchInt(checksumAt, (int) checksum.getValue());
    return state.isSameAs(replica.state()) ? out : refusal(request);
  }

  /** Whether a joiner has to be sent an entry; what is of this epoch it gets as it is written. */
  private static boolean isMissing(Replica replica, int epoch, Entry entry) {
    // What a tick of this epoch has ended a joiner may never have had.
    return entry.isTombstone() ? replica.keepsTombstones() : entry.epoch() < epoch;
  }

  private Output refusal(long request) {
    Output out = messaging.newResponse(request, 4);
    out.writeByte(REFUSED);
    return out;
  }

  private static void writeEntry(Output out, Entry entry) {
    entry.requireValue();
    out.writeVarint(entry.epoch());
    out.writeVarint(entry.index());
    out.writeLong(entry.markedStamp());
    ExpiryTime expiryTime = entry.expiryTime();
    out.writeByte(entry.isTombstone() ? REMOVED : expiryTime != null ? EXPIRING : PLAIN);
    if (expiryTime != null) {
      expiryTime.write(out);
    }
    out.writeVarint(entry.keyLength());
    out.writeVarint(entry.bytes().length);
    out.write(entry.bytes());
  }
}
