package io.cantle.core.rebalance;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.call.CallPace;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaRole;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.TransferResult;
import io.cantle.core.scan.PullAnswer;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.TransferRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the entries of earlier epochs for segments that this node joins. A transfer is a scan
 * that the joiner pulls from the primary. The primary keeps no state between two pulls, so another
 * primary can continue at the cursor. Writes of the present epoch arrive by replication and are
 * left out. The last pull carries the results of commands. The checksum of a pull covers all that
 * counts of it: entries, where they end, the index, the time, the next cursor and the results.
 *
 * <p>Few transfers run at once, so none may block while others could continue. A transfer waits on
 * the clock, and then at the end of the queue, if it is refused, is not answered, or receives
 * entries before the writes they depend on. A transfer whose epoch is over does not wait for its
 * answer.
 *
 * <p><b>Threading:</b> any thread. Transfers run on virtual threads, at most {@value
 * #MAX_PARALLEL_TRANSFERS} at a time.
 */
public final class StateTransfer {
  private static final int MAX_PARALLEL_TRANSFERS = 4;

  /** The most transfers that keep a batch they cannot add yet; the others pull it again. */
  private static final int MAX_HELD_BATCHES = 16;

  private static final long REPORT_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final System.Logger LOG = System.getLogger(StateTransfer.class.getName());

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final ReplicaContext context;
  private final RepeatedReport completed;

  @GuardedBy("this")
  private final ArrayDeque<SegmentTransfer> queue = new ArrayDeque<>();

  private final AtomicInteger heldBatches = new AtomicInteger();

  @GuardedBy("this")
  private int runningCount;

  private volatile boolean closed;

  /** A transfer that waits for its turn, or has it. */
  private static final class SegmentTransfer {
    final Replica replica;
    final int epoch;

    /** The delay before its next turn. */
    long delayNanos = CallPace.TRANSFER.pauseNanos();

    /** The batch it has received and cannot add yet. */
    @Nullable PulledBatch batch;

    SegmentTransfer(Replica replica, int epoch) {
      this.replica = replica;
      this.epoch = epoch;
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
  public StateTransfer(ReplicaContext context) {
    this.context = context;
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
    this.completed =
        new RepeatedReport(
            context.environment().clock(),
            REPORT_INTERVAL_NANOS,
            (replica, epoch) -> !isOver(replica, epoch),
            (replica, epoch) ->
                topologyDriver.reportReceived(replica.cache(), replica.segment(), epoch));
  }

  /**
   * Starts transfers for the segments that this node joins. A replica that was completed in an
   * earlier epoch is reported at once: there may be no node left to fetch it from.
   */
  public void onEpochsEntered(List<ReplicaTable.ReplicaChange> changed) {
    for (ReplicaTable.ReplicaChange change : changed) {
      Replica replica = change.replica();
      int epoch = change.ownership().epoch();
      if (replica.state().role() != ReplicaRole.JOINER) {
        continue;
      }
      if (replica.holdsEverything()) {
        replica.barrier().runOnceOnDisk(() -> completed.add(replica, epoch));
      } else if (!change.ownership().isUnowned()) {
        enqueue(new SegmentTransfer(replica, epoch));
      }
    }
  }

  /** Stops fetching. */
  public void close() {
    closed = true;
    completed.close();
  }

  /** More workers may be needed, since those that run may all be waiting for an answer. */
  private synchronized void enqueue(SegmentTransfer transfer) {
    queue.add(transfer);
    if (runningCount < MAX_PARALLEL_TRANSFERS) {
      runningCount++;
      context.environment().threads().execute(this::runTransfers);
    }
  }

  private synchronized @Nullable SegmentTransfer nextInQueue() {
    SegmentTransfer next = closed ? null : queue.poll();
    runningCount -= next == null ? 1 : 0;
    return next;
  }

  private void runTransfers() {
    for (SegmentTransfer transfer; (transfer = nextInQueue()) != null; ) {
      try {
        if (fetch(transfer)) {
          continue;
        }
      } catch (RuntimeException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "the transfer of segment " + transfer.replica.segment() + " failed and is retried",
            e);
      }
      requeueLater(transfer);
    }
  }

  /** Whether what is fetched would not fit into memory: the segment has fewer owners until then. */
  private boolean isHeapFull(Replica replica) {
    return replica.entries().keepsEntries() && context.environment().heapGuard().isFull();
  }

  /** The transfer later continues where it stopped, since the replica keeps the cursor. */
  private void requeueLater(SegmentTransfer transfer) {
    if (transfer.batch != null && heldBatches.incrementAndGet() > MAX_HELD_BATCHES) {
      heldBatches.decrementAndGet();
      transfer.batch = null;
    }
    // Once it is scheduled, the transfer belongs to the next worker.
    long delayNanos = transfer.delayNanos;
    transfer.delayNanos = CallPace.longerPauseNanos(delayNanos);
    messaging.clock().schedule(delayNanos, () -> enqueue(transfer));
  }

  /** Fetches until the end; returns false if the transfer is to be retried after others. */
  private boolean fetch(SegmentTransfer transfer) {
    Replica replica = transfer.replica;
    int epoch = transfer.epoch;
    PulledBatch batch = transfer.batch;
    if (batch != null) {
      heldBatches.decrementAndGet();
      transfer.batch = null;
    }
    while (!isOver(replica, epoch)) {
      if (batch == null) {
        // Writes, which callers wait for, would queue up behind the entries of a full replica.
        batch = replica.barrier().isFull() || isHeapFull(replica) ? null : pull(replica, epoch);
        if (batch == null) {
          return false;
        }
      }
      TransferResult received =
          replica
              .transfer()
              .apply(
                  epoch, batch.primaryIndex, batch.entries, batch.nextCursor, batch.segmentMillis);
      replica.performEffects();
      if (received == TransferResult.NOT_YET
          && messaging.clock().nanoTime() - batch.waitDeadlineNanos < 0) {
        transfer.batch = batch;
        return false;
      }
      if (received == TransferResult.ADDED && batch.isLast()) {
        replica.barrier().runOnceOnDisk(() -> completed.add(replica, epoch));
        return true;
      }
      batch = null;
    }
    return true;
  }

  /**
   * Whether nothing is to be fetched for a replica. One of a grid that was left may have an epoch
   * that exists in this grid too.
   */
  private boolean isOver(Replica replica, int epoch) {
    return closed
        || context.replicas().find(replica.cache(), replica.segment()) != replica
        || replica.transfer().cursor(epoch) == null;
  }

  /** Pulls the next entries; returns null if the primary does not answer, or refuses. */
  private @Nullable PulledBatch pull(Replica replica, int epoch) {
    Topology topology = topologyDriver.current();
    SegmentCursor cursor = replica.transfer().cursor(epoch);
    SegmentOwnership ownership = topology.findOwnership(replica.cache(), replica.segment());
    if (cursor == null || ownership == null) {
      return null;
    }
    if (ownership.epoch() != epoch || ownership.isUnowned()) {
      return null;
    }
    Member source = ownership.primary();
    Input answer =
        messaging.call(
            source,
            new ScanMessage.Request(
                topology.number(), 0, new TransferRequest(replica.segmentEpoch(epoch), cursor)),
            messaging.clock().nanoTime() + CallPace.TRANSFER.answerNanos(),
            () -> isOver(replica, epoch),
            Function.identity());
    if (answer == null) {
      if (!isOver(replica, epoch)) {
        topologyDriver.recordUnanswered(source);
      }
      return null;
    }
    topologyDriver.recordAnswer(source);
    PullAnswer.Block block = PullAnswer.readSingle(answer, replica.segment());
    if (block == null) {
      return null;
    }
    PulledBatch batch = readBatch(block);
    return batch.isLast() && !replica.transfer().mergeSessions(epoch, block.elements())
        ? null
        : batch;
  }

  /** Reads the batch of a pull, up to the results of commands. */
  private PulledBatch readBatch(PullAnswer.Block block) {
    Input in = block.elements();
    int begin = in.position();
    int checkedBytes = in.remaining() - Integer.BYTES;
    if (checkedBytes < Integer.BYTES) {
      throw new MalformedException("a transfer has only " + in.remaining() + " bytes");
    }
    Input last = new Input(in.array(), begin + checkedBytes - Integer.BYTES, 2 * Integer.BYTES);
    int entryBytes = last.readInt();
    if (TransferProjection.checksum(in.array(), begin, begin + checkedBytes) != last.readInt()) {
      throw new MalformedException("a transfer arrived with a wrong checksum");
    }
    long hashSeed = topologyDriver.current().hashSeed();
    List<Entry> entries = new ArrayList<>();
    while (in.position() < begin + entryBytes) {
      entries.add(readEntry(in, hashSeed));
    }
    long index = in.readVarint();
    long segmentMillis = in.readVarint() - 1;
    SegmentCursor next = SegmentCursor.read(in);
    SegmentCursor more = block.end().cursor();
    if (entries.size() != block.count() || !next.equals(more == null ? SegmentCursor.END : more)) {
      throw new MalformedException("a transfer arrived with a wrong count or cursor");
    }
    // The writes come from the node that answered. If they do not arrive, that node may not answer
    // the next pull either.
    long until = messaging.clock().nanoTime() + CallPace.TRANSFER.answerNanos();
    return new PulledBatch(index, entries, next, segmentMillis, until);
  }

  private static Entry readEntry(Input in, long hashSeed) {
    int epoch = in.readCount();
    long index = in.readVarint();
    long stamp = in.readLong();
    int form = in.readByte();
    boolean tombstone = form == TransferProjection.REMOVED;
    ExpiryTime expiryTime = form == TransferProjection.EXPIRING ? ExpiryTime.read(in) : null;
    int keyLength = in.readBlobLength();
    byte[] bytes = in.readBlob();
    if (keyLength > bytes.length) {
      throw new MalformedException(
          "a key of " + keyLength + " bytes is longer than its entry of " + bytes.length);
    }
    long hash = KeyHash.hash(hashSeed, bytes, 0, keyLength);
    return Entry.of(hash, bytes, keyLength, epoch, index, tombstone, stamp, expiryTime);
  }
}
