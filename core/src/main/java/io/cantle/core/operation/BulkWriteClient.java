package io.cantle.core.operation;

import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.PartialWriteException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CacheResolver;
import io.cantle.core.topology.SegmentOwnership;
import io.cantle.core.topology.Topology;
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
 * Many writes at once: sorted by primary, sent in messages of bounded size, several at a time. Each
 * write has an identity of its own, so that one whose segment moves is tried again like any other.
 *
 * <p><b>Threading:</b> any thread; messages wait on virtual threads, the caller for all of them.
 */
public final class BulkWriteClient {
  private static final int MAX_CHUNK_ITEMS = 512;
  private static final int MAX_CHUNK_BYTES = 512 << 10;
  private static final int MAX_IN_FLIGHT = 6;

  private final OperationClient client;
  private final TopologyDriver topologyDriver;
  private final Environment environment;

  /** Bulk writes by way of single ones' sessions and deadlines. */
  public BulkWriteClient(
      OperationClient client, TopologyDriver topologyDriver, Environment environment) {
    this.client = client;
    this.topologyDriver = topologyDriver;
    this.environment = environment;
  }

  /** One key and what is to be done to it. */
  public record KeyWrite(byte[] key, Operation operation, int sizeBytes) {}

  /**
   * Carries all writes out; those of one message are in flight together.
   *
   * @param keys makes an object of a key, for an error to name it
   * @throws PartialWriteException when some are written, or may be, and others are not
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
      thrown = new IndeterminateException("some of many writes may have happened: " + e);
      progress.recordUnwritten(chunk.items);
      throw e;
    } finally {
      progress.completeChunk(thrown);
    }
  }

  /**
   * Sends until all are answered. What it throws says nothing about what is written: that is kept
   * with each of the writes.
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
        ClientSession present = client.currentSession();
        if (!topologyDriver.current().gridId().equals(topology.gridId())) {
          continue;
        }
        if (!present.equals(session)) {
          // What has no answer cannot be told from what another session does.
          checkNothingDoubtful(pendingWrites);
          pendingWrites.forEach(PendingBulkWrite::abandon);
          pendingWrites.forEach(pending -> pending.segment = segmentOf(topology, cache, pending));
          session = present;
        }
        if (topology.number() != seenTopology) {
          // Others may be asked, who have lost nothing yet.
          seenTopology = topology.number();
          retryTimeout = new RetryTimeout(environment.clock());
        }
        int answered = 0;
        if (client.isCurrentMember(topology, present)) {
          assignSequences(cache, present, pendingWrites, deadline);
          answered =
              sendRound(
                  topology, cache, present, pendingWrites, retryTimeout.nextDeadline(deadline));
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
              + " writes sent together were under way while the owners of their segments started"
              + " again, and none of those knows of them");
    }
  }

  private static void checkNothingDoubtful(List<PendingBulkWrite> pendingWrites) {
    long doubtful = pendingWrites.stream().filter(PendingBulkWrite::isDoubtful).count();
    if (doubtful > 0) {
      throw new IndeterminateException(
          doubtful
              + " of "
              + pendingWrites.size()
              + " writes sent together were under way when this node was excluded from the grid");
    }
  }

  /**
   * Gives a sequence to every write there is room for. Waits for room only while nothing of this
   * message is open: of two that hold what the other waits for, neither would go on.
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

  /** Sends what has no answer to the present primaries; returns how many have one now. */
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
