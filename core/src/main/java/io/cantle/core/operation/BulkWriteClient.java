package io.cantle.core.operation;

import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.PartialWriteException;
import io.cantle.core.base.Environment;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.CallLoop;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The calling side of bulk writes: groups writes by primary and sends them in messages of bounded
 * size, several at a time. Each write has a command id of its own, so a write whose segment moves
 * is retried like any single write.
 *
 * <p><b>Threading:</b> any thread; each message waits on a virtual thread, the caller for all of
 * them.
 */
public final class BulkWriteClient {
  private static final int MAX_CHUNK_ITEMS = 512;
  private static final int MAX_CHUNK_BYTES = 512 << 10;
  private static final String WRITES_SENT = " writes sent together";

  private final OperationClient client;
  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final Environment environment;

  /** Creates a client that uses the sessions and deadlines of single writes. */
  public BulkWriteClient(ReplicaContext context, OperationClient client) {
    this.client = client;
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
    this.environment = context.environment();
  }

  /** A key and the operation on it. */
  public record KeyWrite(byte[] key, Operation operation, int sizeBytes) {}

  /**
   * Executes all writes. Those of one message are in flight together.
   *
   * @param keys makes of a key what an error names it by; throws nothing
   * @param guard tells whether this node can still be used
   * @param onEnded is told how many were written, however the call ends once it has begun
   * @throws NotAvailableException if this node is cut off, even if there is nothing to write
   * @throws PartialWriteException when some were written, or may have been, and others were not
   * @throws RejectedExecutionException if this node was closed before any was written
   */
  public void writeAll(
      CacheResolver cacheResolver,
      Iterator<KeyWrite> writes,
      Function<byte[], Object> keys,
      ClosedNodeGuard guard,
      LongConsumer onEnded) {
    long deadline = client.deadlineFromNow();
    cacheResolver.awaitCreated(deadline);
    client.newLoop(deadline).checkNotCutOff();
    BulkWriteProgress progress = new BulkWriteProgress(environment.clock());
    TreeMap<Member, Chunk> chunks = new TreeMap<>();
    try {
      sendChunks(cacheResolver, writes, progress, chunks);
    } catch (GridException | IllegalStateException e) {
      progress.recordFailure(e);
    } finally {
      progress.inFlight.awaitNone();
      onEnded.accept(progress.written());
    }
    RuntimeException failure = progress.failure();
    if (failure != null) {
      chunks.values().forEach(chunk -> progress.recordOutcomes(chunk.writes));
      throw progress.toException(failure, keys, guard);
    }
  }

  private void sendChunks(
      CacheResolver cacheResolver,
      Iterator<KeyWrite> writes,
      BulkWriteProgress progress,
      NavigableMap<Member, Chunk> chunks) {
    while (writes.hasNext() && progress.failure() == null) {
      PendingBulkWrite write = new PendingBulkWrite(writes.next());
      Member primary = findPrimary(progress, cacheResolver, write);
      Chunk chunk = chunks.computeIfAbsent(primary, member -> new Chunk(cacheResolver));
      chunk.writes.add(write);
      chunk.bytes += write.write.sizeBytes();
      if (chunk.writes.size() >= MAX_CHUNK_ITEMS || chunk.bytes >= MAX_CHUNK_BYTES) {
        chunks.remove(primary);
        startChunk(progress, chunk);
      }
    }
    while (!chunks.isEmpty() && progress.failure() == null) {
      startChunk(progress, chunks.pollFirstEntry().getValue());
    }
  }

  private Member findPrimary(
      BulkWriteProgress progress, CacheResolver cacheResolver, PendingBulkWrite write) {
    try {
      Topology topology = cacheResolver.awaitCreated(client.deadlineFromNow());
      int cache = cacheResolver.indexIn(topology);
      FunctionChain.checkMayWrite(topology.gridId(), cache, topology.hashOf(write.key()));
      return OperationClient.requireOwnership(topology, cache, segmentOf(topology, cache, write))
          .primary();
    } catch (GridException e) {
      progress.recordOutcomes(List.of(write));
      throw e;
    }
  }

  private static int segmentOf(Topology topology, int cache, PendingBulkWrite write) {
    return OperationClient.segmentOf(topology, cache, topology.hashOf(write.key()));
  }

  private void startChunk(BulkWriteProgress progress, Chunk chunk) {
    progress.inFlight.begin();
    try {
      environment.threads().execute(() -> sendChunk(progress, chunk));
    } catch (RejectedExecutionException e) {
      progress.completeChunk(chunk.writes, e);
    }
  }

  private static void sendChunk(BulkWriteProgress progress, Chunk chunk) {
    RuntimeException thrown = null;
    try {
      chunk.send();
    } catch (RuntimeException e) {
      thrown = e;
    } catch (Error e) {
      thrown =
          new IndeterminateException(
              "an error ended a bulk write, and some of its writes may have happened: " + e);
      throw e;
    } finally {
      progress.completeChunk(chunk.writes, thrown);
    }
  }

  /**
   * The writes of one message. An exception says nothing about what was written: each write records
   * that itself.
   */
  private final class Chunk {
    private final CacheResolver cacheResolver;
    private final List<PendingBulkWrite> writes = new ArrayList<>();
    private int bytes;
    private @Nullable ClientSession session;
    private int answered;

    Chunk(CacheResolver cacheResolver) {
      this.cacheResolver = cacheResolver;
    }

    /** Sends the writes until all are answered. */
    void send() {
      CallLoop loop = client.newLoop(client.deadlineFromNow());
      try {
        loop.run(
            cacheResolver::awaitCreated,
            topology -> attempt(topology, loop),
            topology -> writes.size() - answered + " of " + writes.size() + WRITES_SENT);
        requireNone(
            write -> write.unknowable,
            " were in flight while the owners of their segments restarted, and no owner knows"
                + " whether they were made: read the keys to find out");
      } finally {
        writes.forEach(PendingBulkWrite::abandon);
      }
    }

    private @Nullable Chunk attempt(Topology topology, CallLoop loop) {
      int cache = cacheResolver.indexIn(topology);
      ClientSession current = client.currentSession();
      if (!topology.gridId().equals(topologyDriver.current().gridId())
          || !client.isCurrentMember(topology, current)) {
        return null;
      }
      if (!current.equals(session)) {
        // In a new session the owners cannot recognize an unanswered write of the old one.
        requireNone(
            PendingBulkWrite::isDoubtful,
            " were in flight when this node was excluded from the grid");
        writes.forEach(PendingBulkWrite::abandon);
        writes.forEach(write -> write.segment = segmentOf(topology, cache, write));
        session = current;
      }
      assignSequences(cache, current, loop.deadlineNanos());
      int answeredBefore = answered;
      sendRound(topology, cache, current, loop.answerDeadline(topology.number()));
      if (answered > answeredBefore) {
        loop.onProgress();
      }
      return answered == writes.size() ? this : null;
    }

    private void requireNone(Predicate<PendingBulkWrite> doubt, String what) {
      long doubtful = writes.stream().filter(doubt).count();
      if (doubtful > 0) {
        throw new IndeterminateException(doubtful + " of " + writes.size() + WRITES_SENT + what);
      }
    }

    /**
     * Gives a sequence to every write for which the windows have room. Waits for room only while no
     * write of this message is open. Otherwise two messages could each hold the room that the other
     * waits for, and neither would continue.
     */
    private void assignSequences(int cache, ClientSession current, long deadline) {
      PendingBulkWrite first = null;
      boolean anyOpen = false;
      for (PendingBulkWrite write : writes) {
        boolean mustWait =
            write.sequence == 0
                && !write.answered
                && !write.tryBegin(current.sequencer(cache, write.segment));
        first = first == null && mustWait ? write : first;
        anyOpen |= write.isOpen();
      }
      if (!anyOpen && first != null) {
        first.begin(current.sequencer(cache, first.segment), deadline);
      }
    }

    /** Sends unanswered writes to the present primaries, and reads the answers. */
    private void sendRound(Topology topology, int cache, ClientSession current, long until) {
      TreeMap<Member, List<PendingBulkWrite>> byPrimary = new TreeMap<>();
      for (PendingBulkWrite write : writes) {
        if (write.isOpen()) {
          SegmentOwnership ownership =
              OperationClient.requireOwnership(topology, cache, write.segment);
          Member primary = ownership.primary();
          // As for a single write: one that has gone is not asked first.
          if (write.sent || messaging.isListed(primary)) {
            byPrimary.computeIfAbsent(primary, member -> new ArrayList<>()).add(write);
          }
        }
      }
      byPrimary.forEach(
          (primary, sent) -> {
            List<BulkWriteItem> items =
                sent.stream()
                    .map(write -> write.toItem(topology.ownership(cache, write.segment).epoch()))
                    .toList();
            BulkWriteReply reply =
                messaging.call(
                    primary,
                    new BulkWriteRequest(
                        topology.number(), cache, current.id().admissionNumber(), items),
                    until,
                    () ->
                        topologyDriver.isCutOff()
                            || !topologyDriver.current().members().contains(primary),
                    in -> BulkWriteReply.read(in, items.size()));
            if (reply != null && reply.isLeaseHeld()) {
              onReply(primary, sent, reply);
            }
          });
    }

    private void onReply(Member primary, List<PendingBulkWrite> sent, BulkWriteReply reply) {
      BitSet open = new BitSet();
      reply.refused().forEach(open::set);
      for (int position : reply.unmade()) {
        if (open.get(position)) {
          sent.get(position).markRefused();
        } else {
          sent.get(position).markWithoutRoom();
          open.set(position);
        }
      }
      answered += sent.size() - open.cardinality();
      for (int position : reply.inDoubt()) {
        sent.get(position).unknowable = true;
        open.set(position);
      }
      for (int i = open.nextClearBit(0); i < sent.size(); i = open.nextClearBit(i + 1)) {
        sent.get(i).markAnswered();
      }
      WriteRefusal noRoom = reply.noRoom();
      if (noRoom != null) {
        throw NoRoomErrors.exception(noRoom, primary);
      }
    }
  }
}
