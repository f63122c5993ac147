package io.cantle.core.operation;

import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.PartialWriteException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CacheResolver;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.RetryTimeout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

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
  private static final int MAX_IN_FLIGHT = 6;

  private final OperationClient client;
  private final TopologyDriver topologyDriver;
  private final Environment environment;

  /** Creates a client that uses the sessions and deadlines of single writes. */
  public BulkWriteClient(
      OperationClient client, TopologyDriver topologyDriver, Environment environment) {
    this.client = client;
    this.topologyDriver = topologyDriver;
    this.environment = environment;
  }

  /** A key and the operation on it. */
  public record KeyWrite(byte[] key, Operation operation, int sizeBytes) {}

  /**
   * Executes all writes. Those of one message are in flight together.
   *
   * @param keys decodes a key so that an error can name it
   * @throws PartialWriteException when some were written, or may have been, and others were not
   */
  public void writeAll(
      CacheResolver cacheResolver, Iterator<KeyWrite> writes, Function<byte[], Object> keys) {
    cacheResolver.awaitCreated(client.deadlineFromNow());
    if (topologyDriver.isCutOff()) {
      throw client.cutOffException();
    }
    BulkWriteProgress progress = new BulkWriteProgress(environment.clock());
    TreeMap<Member, Chunk> chunks = new TreeMap<>();
    try {
      sendChunks(cacheResolver, writes, progress, chunks);
    } catch (GridException e) {
      progress.recordFailure(e);
    } finally {
      progress.awaitAtMost(0);
    }
    RuntimeException failure = progress.failure();
    if (failure != null) {
      chunks.values().forEach(chunk -> progress.recordUnwritten(chunk.items));
      throw progress.toException(failure, keys);
    }
  }

  private void sendChunks(
      CacheResolver cacheResolver,
      Iterator<KeyWrite> writes,
      BulkWriteProgress progress,
      NavigableMap<Member, Chunk> chunks) {
    while (writes.hasNext() && progress.failure() == null) {
      KeyWrite write = writes.next();
      PendingBulkWrite pending = new PendingBulkWrite(0, write);
      Member primary = findPrimary(progress, cacheResolver, pending);
      Chunk chunk = chunks.computeIfAbsent(primary, member -> new Chunk());
      chunk.items.add(pending);
      chunk.bytes += write.sizeBytes();
      if (chunk.items.size() >= MAX_CHUNK_ITEMS || chunk.bytes >= MAX_CHUNK_BYTES) {
        chunks.remove(primary);
        startChunk(progress, cacheResolver, chunk);
      }
    }
    while (!chunks.isEmpty() && progress.failure() == null) {
      startChunk(progress, cacheResolver, chunks.pollFirstEntry().getValue());
    }
  }

  private Member findPrimary(
      BulkWriteProgress progress, CacheResolver cacheResolver, PendingBulkWrite pending) {
    try {
      Topology topology = cacheResolver.awaitCreated(client.deadlineFromNow());
      int cache = cacheResolver.indexIn(topology);
      return OperationClient.requireOwnership(topology, cache, segmentOf(topology, cache, pending))
          .primary();
    } catch (GridException e) {
      progress.recordUnwritten(List.of(pending));
      throw e;
    }
  }

  private static int segmentOf(Topology topology, int cache, PendingBulkWrite pending) {
    byte[] key = pending.write.key();
    long hash = KeyHash.hash(topology.hashSeed(), key, 0, key.length);
    return KeyHash.segment(hash, topology.caches().get(cache).segments().size());
  }

  private static final class Chunk {
    final List<PendingBulkWrite> items = new ArrayList<>();
    int bytes;
  }

  private void startChunk(BulkWriteProgress progress, CacheResolver cacheResolver, Chunk chunk) {
    progress.awaitAtMost(MAX_IN_FLIGHT - 1);
    progress.inFlight.incrementAndGet();
    try {
      environment.threads().execute(() -> sendChunk(progress, cacheResolver, chunk));
    } catch (RejectedExecutionException e) {
      progress.recordUnwritten(chunk.items);
      progress.completeChunk(new GridException("the node is closed", e));
    }
  }

  private void sendChunk(BulkWriteProgress progress, CacheResolver cacheResolver, Chunk chunk) {
    RuntimeException thrown = null;
    try {
      sendChunk(cacheResolver, chunk.items);
      progress.addWritten(chunk.items.size());
    } catch (RuntimeException e) {
      thrown = e;
      progress.recordUnwritten(chunk.items);
    } catch (Error e) {
      thrown =
          new IndeterminateException(
              "an error ended a bulk write, and some of its writes may have happened: " + e);
      progress.recordUnwritten(chunk.items);
      throw e;
    } finally {
      progress.completeChunk(thrown);
    }
  }

  /**
   * Sends the writes until all are answered. An exception says nothing about what was written: each
   * write records that itself.
   */
  private void sendChunk(CacheResolver cacheResolver, List<PendingBulkWrite> pendingWrites) {
    long deadline = client.deadlineFromNow();
    ClientSession session = null;
    Backoff backoff = new Backoff(environment.clock(), topologyDriver);
    RetryTimeout retryTimeout = new RetryTimeout(environment.clock());
    long seenTopology = 0;
    try {
      for (int left = pendingWrites.size(); left > 0; ) {
        Topology topology = cacheResolver.awaitCreated(deadline);
        int cache = cacheResolver.indexIn(topology);
        ClientSession currentSession = client.currentSession();
        if (!topologyDriver.current().gridId().equals(topology.gridId())) {
          continue;
        }
        if (!currentSession.equals(session)) {
          // In a new session the owners cannot recognize an unanswered write of the old one.
          checkNothingDoubtful(pendingWrites);
          pendingWrites.forEach(PendingBulkWrite::abandon);
          pendingWrites.forEach(pending -> pending.segment = segmentOf(topology, cache, pending));
          session = currentSession;
        }
        if (topology.number() != seenTopology) {
          // Other nodes may be asked now, which have lost no message yet.
          seenTopology = topology.number();
          retryTimeout = new RetryTimeout(environment.clock());
        }
        int answered = 0;
        if (client.isCurrentMember(topology, currentSession)) {
          assignSequences(cache, currentSession, pendingWrites, deadline);
          answered =
              sendRound(
                  topology,
                  cache,
                  currentSession,
                  pendingWrites,
                  retryTimeout.nextDeadline(deadline));
          left -= answered;
        }
        if (left > 0 && topologyDriver.isCutOff()) {
          throw client.cutOffException();
        }
        if (left > 0 && environment.clock().nanoTime() - deadline >= 0) {
          throw new CallTimeoutException(
              left
                  + " of "
                  + pendingWrites.size()
                  + " writes sent together got no answer within "
                  + client.timeoutText());
        }
        if (answered == 0) {
          backoff.awaitNextTry(topology.number(), deadline);
          MessagingService.checkInterrupted();
        } else {
          deadline = client.deadlineFromNow();
        }
      }
      checkAllKnown(pendingWrites);
    } finally {
      pendingWrites.forEach(PendingBulkWrite::abandon);
    }
  }

  private static void checkAllKnown(List<PendingBulkWrite> pendingWrites) {
    long unknowable = pendingWrites.stream().filter(pending -> pending.unknowable).count();
    if (unknowable > 0) {
      throw new IndeterminateException(
          unknowable
              + " of "
              + pendingWrites.size()
              + " writes sent together were in flight while the owners of their segments restarted,"
              + " and no owner knows whether they were made: read the keys to find out");
    }
  }

  private static void checkNothingDoubtful(List<PendingBulkWrite> pendingWrites) {
    long doubtful = pendingWrites.stream().filter(PendingBulkWrite::isDoubtful).count();
    if (doubtful > 0) {
      throw new IndeterminateException(
          doubtful
              + " of "
              + pendingWrites.size()
              + " writes sent together were in flight when this node was excluded from the grid");
    }
  }

  /**
   * Gives a sequence to every write for which the windows have room. Waits for room only while no
   * write of this message is open. Otherwise two messages could each hold the room that the other
   * waits for, and neither would continue.
   */
  private static void assignSequences(
      int cache, ClientSession session, List<PendingBulkWrite> pendingWrites, long deadline) {
    PendingBulkWrite first = null;
    boolean anyOpen = false;
    for (PendingBulkWrite pending : pendingWrites) {
      boolean mustWait =
          pending.sequence == 0
              && !pending.answered
              && !pending.tryBegin(session.sequencer(cache, pending.segment));
      first = first == null && mustWait ? pending : first;
      anyOpen |= pending.isOpen();
    }
    if (!anyOpen && first != null) {
      first.begin(session.sequencer(cache, first.segment), deadline);
    }
  }

  /** Sends unanswered writes to the present primaries; returns how many were answered. */
  private int sendRound(
      Topology topology,
      int cache,
      ClientSession session,
      List<PendingBulkWrite> pendingWrites,
      long until) {
    TreeMap<Member, List<PendingBulkWrite>> byPrimary = new TreeMap<>();
    for (PendingBulkWrite pending : pendingWrites) {
      if (pending.isOpen()) {
        SegmentOwnership ownership =
            OperationClient.requireOwnership(topology, cache, pending.segment);
        byPrimary.computeIfAbsent(ownership.primary(), member -> new ArrayList<>()).add(pending);
      }
    }
    int answered = 0;
    for (var batch : byPrimary.entrySet()) {
      List<PendingBulkWrite> sent = batch.getValue();
      List<BulkWriteItem> items = new ArrayList<>(sent.size());
      for (PendingBulkWrite pending : sent) {
        pending.sent = true;
        int epoch = topology.ownership(cache, pending.segment).epoch();
        pending.firstEpoch = pending.firstEpoch == 0 ? epoch : pending.firstEpoch;
        items.add(
            new BulkWriteItem(
                pending.segment,
                epoch,
                pending.firstEpoch,
                pending.sequence,
                pending.lowestUnanswered(),
                ByteSlice.of(pending.write.key()),
                pending.write.operation()));
      }
      Input answer = client.callBulk(topology, cache, session, batch.getKey(), items, until);
      if (answer == null || !answer.readBoolean()) {
        continue;
      }
      BitSet refused = new BitSet();
      for (int left = answer.readCount(sent.size()); left > 0; left--) {
        refused.set(answer.readCount(sent.size() - 1));
      }
      for (int left = answer.readCount(sent.size()); left > 0; left--) {
        int position = answer.readCount(sent.size() - 1);
        sent.get(position).unknowable = true;
        refused.set(position);
        answered++;
      }
      for (int position = 0; position < sent.size(); position++) {
        if (!refused.get(position)) {
          sent.get(position).markAnswered();
          answered++;
        }
      }
      if (answer.readBoolean()) {
        throw OperationClient.diskFullException(batch.getKey());
      }
    }
    return answered;
  }
}
