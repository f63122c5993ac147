package io.cantle.core.operation;

import io.cantle.CacheDestroyedException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.core.agreement.Lease;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Clock;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.CallLoop;
import io.cantle.core.call.CallPace;
import io.cantle.core.codec.FunctionFailure;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.SessionId;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.CallMessage.ReadRequest;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calling side of operations: finds the primary, sends, waits, and retries under the same
 * command id when a segment has moved.
 *
 * <p><b>Reads.</b> A read is answered here if this node is an owner, the entry is clean, and the
 * lease is held after the entry was read. Otherwise the primary is asked until the deadline.
 *
 * <p><b>Writes.</b> A write takes a sequence from its session and is sent to the primary with the
 * epoch of its segment. It ends with a result, or when every other writer of one epoch holds it. A
 * new epoch, a refusal or a missing answer starts another attempt under the same command id, so the
 * write takes effect at most once.
 *
 * <p><b>Errors.</b> A write that may have been executed, and has no answer, ends with an {@link
 * IndeterminateException}. Any other exception means that it was not written.
 *
 * <p><b>Threading:</b> any thread; the calling thread waits, never longer than the timeout.
 */
public final class OperationClient {
  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final ReplicaContext context;
  private final WriteHandler writeHandler;
  private final Clock clock;
  private final Lease lease;
  private final long timeoutNanos;
  private volatile ClientSession latestSession;

  /** Creates a client; {@code timeoutNanos} limits every call. */
  public OperationClient(ReplicaContext context, WriteHandler writeHandler, long timeoutNanos) {
    this.context = context;
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
    this.writeHandler = writeHandler;
    this.clock = messaging.clock();
    this.lease = topologyDriver.lease();
    this.latestSession = newSession(Topology.NONE, 0);
    this.timeoutNanos = timeoutNanos;
  }

  /** The deadline of a call that begins now. */
  public long deadlineFromNow() {
    return clock.nanoTime() + timeoutNanos;
  }

  /** When a call with this deadline began, by a reading of the clock. */
  public long startOf(long deadline) {
    return deadline - timeoutNanos;
  }

  private ClientSession newSession(Topology topology, long admissionNumber) {
    SessionId id = new SessionId(messaging.self().id(), admissionNumber);
    return new ClientSession(topology.gridId(), id, clock);
  }

  /** The session of this node's present membership. */
  ClientSession currentSession() {
    ClientSession cached = latestSession;
    Topology topology = topologyDriver.current();
    long admissionNumber = topology.membership().admissionNumber(messaging.self());
    if (admissionNumber == 0 || cached.isOf(topology.gridId(), admissionNumber)) {
      return cached;
    }
    synchronized (this) {
      if (!latestSession.isOf(topology.gridId(), admissionNumber)) {
        latestSession = newSession(topology, admissionNumber);
      }
      return latestSession;
    }
  }

  /** The owners of a segment; throws if the segment is lost. */
  static SegmentOwnership requireOwnership(Topology topology, int cache, int segment) {
    return topology.requireOwned(
        cache,
        segment,
        "it is available again when one of them returns, or give it up by Grid.acceptLoss; give"
            + " caches more owners to prevent this");
  }

  static int segmentOf(Topology topology, int cache, long hash) {
    return KeyHash.segment(hash, topology.caches().get(cache).definition().config().segments());
  }

  /** The loop of a call that ends at a deadline. */
  CallLoop newLoop(long deadline) {
    return new CallLoop(topologyDriver, clock, CallPace.COMMAND, timeoutNanos, deadline);
  }

  /** Names a segment and the node that is asked about it. */
  private static String segmentText(Topology topology, int cache, int segment) {
    Member primary = topology.ownership(cache, segment).primary();
    return "segment " + segment + " whose primary is " + primary;
  }

  /** A writer of what this node holds alone of a cache. */
  public LocalWriter newLocalWriter(CacheResolver cacheResolver) {
    return new LocalWriter(cacheResolver, context, writeHandler);
  }

  // ------------------------------------------------------------------ reads

  /** A reader of what this node holds of a cache. */
  public LocalReader newLocalReader(CacheResolver cacheResolver) {
    return new LocalReader(cacheResolver, context);
  }

  /** A reader of arrays that this node holds of a cache. */
  public ArrayReader newArrayReader(CacheResolver cacheResolver) {
    return new ArrayReader(cacheResolver, context);
  }

  /**
   * Reads a key: here if this node is an owner and the entry is clean, otherwise at the primary.
   *
   * @param wantsValue false when only the version matters, and whether there is an entry
   */
  public ReadResult read(
      CacheResolver cacheResolver, byte[] key, boolean wantsValue, long deadline) {
    ReadResult here = readHere(cacheResolver, key, wantsValue, true, deadline);
    return here == null ? readAtPrimary(cacheResolver, key, wantsValue, deadline) : here;
  }

  /**
   * Reads a key here; null if this node is no owner, or only the primary can answer.
   *
   * @param mayLoad whether to wait for a value that is on disk only
   */
  @Nullable ReadResult readHere(
      CacheResolver cacheResolver, byte[] key, boolean wantsValue, boolean mayLoad, long deadline) {
    Topology topology = topologyDriver.current();
    CacheResolver.ResolvedCache cache = cacheResolver.find(topology);
    if (cache != null) {
      long hash = KeyHash.hash(topology.hashSeed(), key, 0, key.length);
      Replica replica = context.replicas().find(cache.index(), cache.segmentOf(hash));
      if (replica != null) {
        LocalRead localRead = readLocally(replica, hash, key, wantsValue, mayLoad, deadline);
        // The lease is checked after the entry was read; Lease says why. The grid is checked last,
        // because another grid may have another cache at this place.
        if (localRead.status() == LocalRead.Status.CLEAN
            && lease.isHeld()
            && (localRead.entry() == null || replica.expiry().isCertainlyLive(localRead.entry()))
            && topologyDriver.current().gridId().equals(topology.gridId())) {
          return ReadResult.of(localRead.entry(), wantsValue);
        }
      }
    }
    return null;
  }

  /**
   * Reads a key here, with its value loaded into memory. Refuses if that takes long, and the
   * primary is asked then.
   */
  private LocalRead readLocally(
      Replica replica, long hash, byte[] key, boolean wantsValue, boolean mayLoad, long deadline) {
    Entry loadedEntry = null;
    while (true) {
      LocalRead localRead = replica.readLocally(hash, key, 0, key.length, loadedEntry);
      Entry evicted = localRead.evictedEntry();
      if (evicted == null || !wantsValue || localRead.status() != LocalRead.Status.CLEAN) {
        return localRead;
      }
      List<@Nullable Entry> loaded =
          mayLoad
              ? replica.valueResidency().awaitLoaded(List.of(evicted), deadline - clock.nanoTime())
              : null;
      if (loaded == null) {
        return LocalRead.refused(localRead.epoch());
      }
      loadedEntry = loaded.getFirst();
    }
  }

  private ReadResult readAtPrimary(
      CacheResolver cacheResolver, byte[] key, boolean wantsValue, long deadline) {
    CallLoop loop = newLoop(deadline);
    ByteSlice slice = ByteSlice.of(key);
    return loop.run(
        cacheResolver::awaitCreated,
        topology -> {
          int cache = cacheResolver.indexIn(topology);
          int segment = segmentOf(topology, cache, topology.hashOf(slice));
          SegmentOwnership ownership = requireOwnership(topology, cache, segment);
          OperationReply answer =
              messaging.call(
                  ownership.primary(),
                  new ReadRequest(topology.number(), cache, segment, wantsValue, slice),
                  loop.answerDeadline(ownership.epoch()),
                  () -> isOutdated(topology, cache, segment),
                  OperationReply::read);
          if (answer instanceof OperationReply.ReadReply(ReadResult found)) {
            return found;
          }
          if (answer != null) {
            loop.onAnswer();
          }
          return null;
        },
        topology -> {
          int cache = cacheResolver.indexIn(topology);
          int segment = segmentOf(topology, cache, topology.hashOf(slice));
          return "a read of " + segmentText(topology, cache, segment) + CallLoop.RETRY_IS_SAFE;
        });
  }

  /**
   * Whether a caller waits no longer: the node that was asked may not be the one to answer any
   * more, or the calling thread is interrupted.
   */
  private boolean isOutdated(Topology sentTopology, int cache, int segment) {
    Topology latest = topologyDriver.current();
    return Thread.currentThread().isInterrupted()
        || topologyDriver.isCutOff()
        || !latest.gridId().equals(sentTopology.gridId())
        || (latest.number() != sentTopology.number()
            && epochIn(latest, cache, segment) != epochIn(sentTopology, cache, segment));
  }

  private static int epochIn(Topology topology, int cache, int segment) {
    SegmentOwnership ownership = topology.findOwnership(cache, segment);
    return ownership == null ? 0 : ownership.epoch();
  }

  // ------------------------------------------------------------------ writes

  /** Runs a function here that decides the value of a key, and so must not write it. */
  public <T extends @Nullable Object> T callFunction(
      CacheResolver cacheResolver, byte[] key, Supplier<T> function) {
    Topology topology = topologyDriver.current();
    long hash = topology.hashOf(ByteSlice.of(key));
    return FunctionChain.ofCaller()
        .plus(topology.gridId(), cacheResolver.indexIn(topology), hash)
        .call(function);
  }

  /** As the other {@code write}, for an operation that was not made of an immutable object. */
  public OperationResult write(
      CacheResolver cacheResolver, byte[] key, Operation operation, long deadline) {
    return write(cacheResolver, ByteSlice.of(key), operation, null, deadline);
  }

  /**
   * Executes an operation exactly once and returns its result.
   *
   * @param writtenObject the object whose encoding the operation writes, if nobody can change it;
   *     otherwise null
   */
  public OperationResult write(
      CacheResolver cacheResolver,
      ByteSlice key,
      Operation operation,
      @Nullable Object writtenObject,
      long deadline) {
    return new SingleWrite(key, operation, writtenObject, newLoop(deadline)).run(cacheResolver);
  }

  /**
   * A write of one key, sent until it is answered. When this node's membership ends and nothing can
   * have been written, the write begins again in the next session.
   */
  private final class SingleWrite {
    private final ByteSlice key;
    private final Operation operation;
    private final @Nullable Object writtenObject;
    private final CallLoop loop;
    private UUID gridId = Topology.NONE.gridId();
    private int cache;
    private int segment;
    private ClientSession session = latestSession;

    /** Gives the sequence of the write; null while the write is in no session. */
    private @Nullable CommandSequencer sequencer;

    private long sequence;
    private InFlightWrite write;

    /** The number under which answers arrive; 0 while the write is in no session. */
    private long request;

    /** Whether answers that come in messages are taken. */
    private boolean isRegistered;

    SingleWrite(ByteSlice key, Operation operation, @Nullable Object writtenObject, CallLoop loop) {
      this.key = key;
      this.operation = operation;
      this.writtenObject = writtenObject;
      this.loop = loop;
      this.write = new InFlightWrite(writtenObject);
    }

    OperationResult run(CacheResolver cacheResolver) {
      try {
        loop.run(until -> awaitTopology(cacheResolver, until), this::attempt, this::describe);
      } catch (GridException | RejectedExecutionException e) {
        // The write may have ended since the loop looked at it last.
        if (!write.isEnded()) {
          // Why this node takes no more tasks, the guard of its caches says.
          String reason = e instanceof GridException ? e.getMessage() : "this node ended the call";
          // Of a cache that was destroyed nothing is left, whatever was written.
          throw write.isDoubtful() && !(e instanceof CacheDestroyedException)
              ? new IndeterminateException(
                  reason + "; the write may have been made: read the key to find out")
              : e;
        }
      } finally {
        endSession();
      }
      OperationResult result = write.result();
      FunctionFailure failure = write.failure();
      if (result != null) {
        return result;
      }
      if (failure != null) {
        throw failure.toWriteException();
      }
      throw new IndeterminateException(
          (write.isUnknowable()
                  ? "the owners of segment " + segment + " restarted, and none of them knows about"
                  : "this node was excluded from the grid during")
              + " a write that was in flight; it may have been made: read the key to find out");
    }

    /** Returns the present topology, after the write has begun in a session. */
    private Topology awaitTopology(CacheResolver cacheResolver, long deadline) {
      if (request == 0) {
        Topology topology = cacheResolver.awaitCreated(deadline);
        gridId = topology.gridId();
        cache = cacheResolver.indexIn(topology);
        long hash = topology.hashOf(key);
        segment = segmentOf(topology, cache, hash);
        FunctionChain.checkMayWrite(gridId, cache, hash);
        session = currentSession();
        CommandSequencer from = session.sequencer(cache, segment);
        sequence = from.begin(operation, deadline);
        sequencer = from;
        request = messaging.nextRequestNumber();
      }
      Topology latest = topologyDriver.current();
      cacheResolver.requireNotDestroyed(latest);
      return latest;
    }

    private void endSession() {
      CommandSequencer from = sequencer;
      if (from != null) {
        if (isRegistered) {
          messaging.unregister(request);
          isRegistered = false;
        }
        request = 0;
        sequencer = null;
        OperationResult result = write.result();
        from.end(sequence, result == null ? -1 : result.length());
      }
    }

    private @Nullable InFlightWrite attempt(Topology topology) {
      if (!session.equals(currentSession()) || !topology.gridId().equals(gridId)) {
        if (write.isEnded() || write.isDoubtful()) {
          return write;
        }
        endSession();
        write = new InFlightWrite(writtenObject);
        return null;
      }
      SegmentOwnership ownership = requireOwnership(topology, cache, segment);
      if (!isCurrentMember(topology, session)) {
        // Owners would not recognize this session. When this node is admitted again, it has
        // another session.
        return null;
      }
      Member primary = ownership.primary();
      if (!write.isDoubtful() && !messaging.isListed(primary)) {
        // It has gone, perhaps before this node started. Once it is asked, owners that have
        // restarted can never say that the write was not made.
        return null;
      }
      int epoch = ownership.epoch();
      if (write.beginAttempt(epoch)) {
        send(
            primary,
            new WriteRequest(
                topology.number(),
                cache,
                segment,
                epoch,
                write.firstEpoch(),
                write.attempt(),
                session.id().admissionNumber(),
                sequence,
                lowestUnanswered(),
                key,
                operation));
      }
      if (!write.isEnded()) {
        register();
        awaitReply(topology, loop.answerDeadline(epoch));
      }
      if (write.isEnded()) {
        return write;
      }
      WriteRefusal noRoom = write.noRoom();
      if (noRoom != null && !write.isDoubtful()) {
        throw NoRoomErrors.exception(noRoom, primary);
      }
      if (write.isRefused()) {
        loop.onAnswer();
      } else {
        loop.skipPause();
      }
      return null;
    }

    private long lowestUnanswered() {
      return Objects.requireNonNull(sequencer, "the write has no sequence yet").lowestUnanswered();
    }

    private void send(Member primary, WriteRequest message) {
      if (primary.equals(messaging.self())) {
        writeHandler.write(primary, request, write, message);
      } else {
        register();
        messaging.send(primary, request, message, loop.deadlineNanos());
      }
    }

    /** Takes answers that come in messages; a write that ends here and now needs none. */
    private void register() {
      if (!isRegistered) {
        messaging.register(request, write);
        isRegistered = true;
      }
    }

    private void awaitReply(Topology sentTopology, long until) {
      while (!write.isEnded() && !write.isRefused() && !isOutdated(sentTopology, cache, segment)) {
        long left = until - clock.nanoTime();
        if (left <= 0) {
          return;
        }
        clock.parkNanos(write, left);
      }
    }

    private String describe(Topology topology) {
      return "a write "
          + (request == 0
              ? "that is to begin again, since this node was excluded from the grid"
              : "of " + segmentText(topology, cache, segment))
          + (operation.unwrap() instanceof Operation.ApplyFunction
              ? " (by a function: a slow one delays others on the same key, and one that causes a"
                  + " write to its own key waits for itself)"
              : "")
          + (write.isDoubtful() ? "" : "; it was not written, trying again is safe");
    }
  }

  /** Forgets caches that were destroyed. */
  public void onTopologyAdopted(Topology topology) {
    ClientSession session = latestSession;
    if (session.isOf(topology.gridId(), session.id().admissionNumber())) {
      session.forgetDestroyed(topology.caches());
    }
  }

  /** Whether this node is a member under the admission number of a session. */
  boolean isCurrentMember(Topology topology, ClientSession session) {
    return topology.membership().admissionNumber(messaging.self()) == session.id().admissionNumber()
        && session.id().admissionNumber() > 0;
  }
}
