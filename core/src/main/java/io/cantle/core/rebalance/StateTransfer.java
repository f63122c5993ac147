package io.cantle.core.rebalance;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.OutputFullException;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.memory.MemoryReservation;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaRole;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.TransferResult;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.RebalanceMessage.TransferRequest;
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
 * Fetches the entries of earlier epochs for segments that this node joins. A transfer is a scan
 * that the joiner pulls from the primary. The primary keeps no state between two pulls, so another
 * primary can continue at the cursor. Writes of the present epoch arrive by replication and are
 * left out. Each pull carries a count and a checksum, and the last one the results of commands.
 *
 * <p>Few transfers run at once, so none may block while others could continue. A transfer waits on
 * the clock, and then at the end of the queue, if it is refused, is not answered, or receives
 * entries before the writes they depend on. A transfer whose epoch is over does not wait for its
 * answer.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Transfers run on virtual threads, at most
 * {@value #MAX_PARALLEL_TRANSFERS} at a time.
 */
public final class StateTransfer {
  private static final int MAX_PARALLEL_TRANSFERS = 4;

  /** The most transfers that keep a batch they cannot add yet; the others pull it again. */
  private static final int MAX_HELD_BATCHES = 16;

  private static final int MAX_PULL_BYTES = 256 << 10;

  /** The memory that an answer takes until it is sent: while it is built, and while it is sent. */
  private static final int MAX_ANSWER_BYTES = 2 * MAX_PULL_BYTES;

  /** What is written of an entry besides its bytes. */
  private static final int MAX_ENTRY_HEADER_BYTES = 128;

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
   * @param delayNanos the delay before its next attempt if it makes no progress
   * @param batch the batch it has received and cannot add yet
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
   * The result of a pull.
   *
   * @param primaryIndex how far the primary had come
   * @param nextCursor where the next pull begins
   * @param segmentMillis the time of the segment at the primary, -1 if it has not started
   * @param waitDeadlineNanos until when to wait for the writes up to {@code primaryIndex}
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

  /** Creates the transfers to these replicas. */
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
   * Starts transfers for the segments that this node joins. A replica that was completed in an
   * earlier epoch is reported at once: there may be no node left to fetch it from.
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

  /** Forgets all transfers, because this node joins another grid. */
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

  /** Whether a replica belongs to this node's present grid, not to one that it has left. */
  private boolean isCurrent(Replica replica) {
    return replicas.find(replica.cache(), replica.segment()) == replica;
  }

  /** Stops fetching. */
  public void close() {
    closed = true;
  }

  /** More workers may be needed, since those that run may all be waiting for an answer. */
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
            "the transfer of segment " + next.replica.segment() + " failed and is retried",
            e);
        requeueLater(next.withBatch(null));
      }
    }
  }

  /** The transfer later continues where it stopped, since the replica keeps the cursor. */
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

  /** Fetches until the end; returns a transfer to be retried after others, or null. */
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
          // Otherwise writes, which callers wait for, would queue up behind the fetched entries.
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
            new TransferRequest(replica.segmentEpoch(epoch), cursor),
            messaging.clock().nanoTime() + PULL_TIMEOUT_NANOS,
            () -> isEpochOver(replica, epoch));
    if (answer != null) {
      topologyDriver.recordAnswer(source);
    } else if (!isEpochOver(replica, epoch)) {
      topologyDriver.recordUnanswered(source);
    }
    return answer;
  }

  /** Reads the batch of a pull, up to the results of commands. */
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
    // The writes come from the node that answered. If they do not arrive, that node may not answer
    // the next pull either.
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

  /** Reports a complete transfer to the voters, repeatedly until the epoch is over. */
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
    // A replica of a grid that was left may have an epoch that exists in this grid too.
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

  /** Answers a joiner's pull, on a thread that may wait for the network. */
  public void onPull(Member from, long request, TransferRequest pull) {
    MemoryReservation room = MemoryReservation.tryOpen(memory, MAX_ANSWER_BYTES);
    if (room == null) {
      messaging.post(from, refusal(from, request));
      return;
    }
    environment
        .threads()
        .execute(
            () -> {
              try (room) {
                messaging.send(from, answerPull(from, request, pull, room));
              }
            });
  }

  private Output answerPull(Member to, long request, TransferRequest pull, MemoryReservation room) {
    int epoch = pull.segment().epoch();
    Replica replica = replicas.find(pull.segment().cache(), pull.segment().segment());
    if (replica == null) {
      return refusal(to, request);
    }
    ReplicaState state = replica.state();
    if (!state.isActivePrimary() || state.epoch() != epoch) {
      return refusal(to, request);
    }
    expiryTrigger.expireDue(replica);
    EntryBatch batch = new EntryBatch(room);
    SegmentCursor next =
        replica
            .valueResidency()
            .scan(
                pull.cursor(),
                entry -> isMissing(replica, epoch, entry),
                entry -> batch.visit(entry, isMissing(replica, epoch, entry)));
    long index = replica.appliedAsPrimary(epoch);
    if (index < 0 || batch.lacksRoom) {
      return refusal(to, request);
    }
    Output entries = batch.entries;
    long segmentMillis = replica.expiry().segmentMillis();
    Output sessions = new Output(256);
    sessions.growIf(moreBytes -> room.grow(2L * moreBytes));
    if (next.equals(SegmentCursor.END)) {
      try {
        replica.writeSessions(sessions);
      } catch (OutputFullException e) {
        return refusal(to, request);
      }
    }
    Output out = messaging.newResponse(to, request, entries.position() + sessions.position() + 256);
    out.writeByte(OK);
    int checksumAt = out.position();
    out.writeInt(0);
    out.writeVarint(batch.count);
    out.write(entries.array(), 0, entries.position());
    next.write(out);
    out.writeVarint(index);
    out.writeVarint(segmentMillis + 1);
    out.write(sessions.array(), 0, sessions.position());
    CRC32C checksum = new CRC32C();
    int begin = checksumAt + Integer.BYTES;
    checksum.update(out.array(), begin, out.position() - begin);
    out.patchInt(checksumAt, (int) checksum.getValue());
    return state.isSameAs(replica.state()) ? out : refusal(to, request);
  }

  /** The entries of one answer: as many as a pull may bring, or a longer one alone. */
  private static final class EntryBatch {
    private final MemoryReservation room;
    private final Output entries = new Output(MAX_PULL_BYTES + 4096);
    private int count;
    private int visits;
    private boolean lacksRoom;

    EntryBatch(MemoryReservation room) {
      this.room = room;
    }

    VisitResult visit(Entry entry, boolean isMissing) {
      if (isMissing) {
        long length = entries.position() + entry.bytes().length + (long) MAX_ENTRY_HEADER_BYTES;
        if (count > 0 && length > MAX_PULL_BYTES) {
          return VisitResult.STOP_BEFORE;
        }
        lacksRoom = !room.growTo(2 * length);
        if (lacksRoom) {
          return VisitResult.STOP_BEFORE;
        }
        if (length > MAX_PULL_BYTES) {
          entries.limit(Math.toIntExact(length));
        }
        writeEntry(entries, entry);
        count++;
      }
      visits++;
      return entries.position() >= MAX_PULL_BYTES || visits >= MAX_PULL_VISITS
          ? VisitResult.STOP_AFTER
          : VisitResult.CONTINUE;
    }
  }

  /** Whether a joiner must be sent an entry. Entries of this epoch reach it as they are written. */
  private static boolean isMissing(Replica replica, int epoch, Entry entry) {
    // A joiner may never have had an entry that a tick of this epoch has ended.
    return entry.isTombstone() ? replica.keepsTombstones() : entry.epoch() < epoch;
  }

  private Output refusal(Member to, long request) {
    Output out = messaging.newResponse(to, request, 4);
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
