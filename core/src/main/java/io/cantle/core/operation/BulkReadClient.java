package io.cantle.core.operation;

import io.cantle.GridException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.CallerFrames;
import io.cantle.core.base.Environment;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.CallLoop;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.CallMessage.BulkReadRequest;
import io.cantle.core.wire.CallMessage.SegmentKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The calling side of bulk reads. A key that this node can answer is read here. The others are
 * grouped by primary and sent in messages of bounded size, several at a time; those that are not
 * answered are asked for again, at whatever node is their primary by then.
 *
 * <p><b>Threading:</b> any thread; each message waits on a virtual thread, the caller for all of
 * them.
 */
public final class BulkReadClient {
  private static final int MAX_BATCH_KEYS = 512;
  private static final int MAX_BATCH_BYTES = 512 << 10;

  private final OperationClient client;
  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final Environment environment;

  /** Creates a client that uses the deadlines of single reads. */
  public BulkReadClient(ReplicaContext context, OperationClient client) {
    this.client = client;
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
    this.environment = context.environment();
  }

  /**
   * Reads all keys; the results are in their order.
   *
   * @throws GridException if not all of them were read; trying again is safe
   * @throws RejectedExecutionException if this node was closed
   */
  public List<OperationResult> readAll(CacheResolver cacheResolver, List<byte[]> keys) {
    BulkRead bulkRead = new BulkRead(cacheResolver);
    List<KeyRead> reads = keys.stream().map(KeyRead::new).toList();
    bulkRead.run(reads);
    return reads.stream().map(read -> Objects.requireNonNull(read.result)).toList();
  }

  /** One key of a call. */
  private static final class KeyRead {
    private final byte[] key;

    /** Written by one thread at a time: the caller's, or that of its message. */
    private @Nullable OperationResult result;

    KeyRead(byte[] key) {
      this.key = key;
    }

    SegmentKey inSegment(Topology topology, int cache) {
      ByteSlice slice = ByteSlice.of(key);
      return new SegmentKey(
          OperationClient.segmentOf(topology, cache, topology.hashOf(slice)), slice);
    }
  }

  /** One call. */
  private final class BulkRead {
    private final CacheResolver cacheResolver;
    private final InFlightLimit inFlight = new InFlightLimit(environment.clock());
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private final TreeMap<Member, KeyBatch> batches = new TreeMap<>();

    BulkRead(CacheResolver cacheResolver) {
      this.cacheResolver = cacheResolver;
    }

    void run(List<KeyRead> reads) {
      try {
        for (KeyRead read : reads) {
          if (failure.get() != null) {
            break;
          }
          readHereOrLater(read);
        }
        while (!batches.isEmpty() && failure.get() == null) {
          start(batches.pollFirstEntry().getValue());
        }
      } finally {
        inFlight.awaitNone();
      }
      RuntimeException thrown = failure.get();
      if (thrown != null) {
        throw CallerFrames.addTo(thrown);
      }
    }

    /** Reads a key here, or adds it to the next message to its primary. */
    private void readHereOrLater(KeyRead read) {
      long deadline = client.deadlineFromNow();
      // Values on disk are loaded by the primary, many at a time.
      ReadResult here = client.readHere(cacheResolver, read.key, true, false, deadline);
      if (here != null) {
        read.result = here.value();
        return;
      }
      Topology topology = cacheResolver.awaitCreated(deadline);
      int cache = cacheResolver.indexIn(topology);
      int segment = read.inSegment(topology, cache).segment();
      Member primary = OperationClient.requireOwnership(topology, cache, segment).primary();
      KeyBatch batch = batches.computeIfAbsent(primary, member -> new KeyBatch());
      batch.reads.add(read);
      batch.keyBytes += read.key.length;
      if (batch.reads.size() >= MAX_BATCH_KEYS || batch.keyBytes >= MAX_BATCH_BYTES) {
        batches.remove(primary);
        start(batch);
      }
    }

    private void start(KeyBatch batch) {
      inFlight.begin();
      try {
        environment.threads().execute(() -> send(batch));
      } catch (RejectedExecutionException e) {
        failure.compareAndSet(null, e);
        inFlight.end();
      }
    }

    private void send(KeyBatch batch) {
      try {
        batch.send(cacheResolver);
      } catch (RuntimeException e) {
        failure.compareAndSet(null, e);
      } catch (Error e) {
        failure.compareAndSet(null, new GridException("an error ended a read of many keys", e));
        throw e;
      } finally {
        inFlight.end();
      }
    }
  }

  /** The keys of one message. */
  private final class KeyBatch {
    private final List<KeyRead> reads = new ArrayList<>();
    private int keyBytes;

    /** Sends the keys until all are answered. */
    void send(CacheResolver cacheResolver) {
      int count = reads.size();
      CallLoop loop = client.newLoop(client.deadlineFromNow());
      loop.run(
          cacheResolver::awaitCreated,
          topology -> attempt(topology, cacheResolver.indexIn(topology), loop),
          topology ->
              "%s of %s reads sent together".formatted(reads.size(), count)
                  + CallLoop.RETRY_IS_SAFE);
    }

    private @Nullable KeyBatch attempt(Topology topology, int cache, CallLoop loop) {
      int openBefore = reads.size();
      TreeMap<Member, List<KeyRead>> byPrimary = new TreeMap<>();
      for (KeyRead read : reads) {
        int segment = read.inSegment(topology, cache).segment();
        byPrimary
            .computeIfAbsent(
                OperationClient.requireOwnership(topology, cache, segment).primary(),
                member -> new ArrayList<>())
            .add(read);
      }
      long until = loop.answerDeadline(topology.number());
      byPrimary.forEach((primary, sent) -> ask(topology, cache, primary, sent, until));
      reads.removeIf(read -> read.result != null);
      if (reads.size() < openBefore) {
        loop.onProgress();
      }
      return reads.isEmpty() ? this : null;
    }

    private void ask(Topology topology, int cache, Member primary, List<KeyRead> sent, long until) {
      List<SegmentKey> keys = sent.stream().map(read -> read.inSegment(topology, cache)).toList();
      BulkReadReply reply =
          messaging.call(
              primary,
              new BulkReadRequest(topology.number(), cache, keys),
              until,
              () ->
                  topologyDriver.isCutOff()
                      || !topologyDriver.current().members().contains(primary),
              in -> BulkReadReply.read(in, keys.size()));
      if (reply != null) {
        for (int i = 0; i < sent.size(); i++) {
          sent.get(i).result = reply.results().get(i);
        }
      }
    }
  }
}
