package io.cantle.core.operation;

import io.cantle.CallTimeoutException;
import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.core.agreement.Lease;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.replica.ValueResidency;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CacheResolver;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.RetryTimeout;
import io.cantle.core.wire.CallMessage.ReadRequest;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
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
  private final ReplicaTable replicas;
  private final WriteHandler writeHandler;
  private final ReentrantLock sessionLock = new ReentrantLock();
  private final Clock clock;
  private final Lease lease;
  private final long timeoutNanos;
  private volatile GridSession gridSession;

  /** Creates a client; {@code timeoutNanos} limits every call. */
  public OperationClient(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      ReplicaTable replicas,
      WriteHandler writeHandler,
      long timeoutNanos) {
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.replicas = replicas;
    this.writeHandler = writeHandler;
    this.clock = messaging.clock();
    this.lease = topologyDriver.lease();
    ClientSession none = new ClientSession(new SessionId(messaging.self().id(), 0), clock);
    this.gridSession = new GridSession(Topology.NONE.gridId(), none);
    this.timeoutNanos = timeoutNanos;
  }

  /** The deadline of a call that begins now. */
  public long deadlineFromNow() {
    return clock.nanoTime() + timeoutNanos;
  }

  /** The session of one membership of this node in a grid. */
  private record GridSession(UUID gridId, ClientSession session) {
    boolean matches(UUID grid, long admissionNumber) {
      return session.id().admissionNumber() == admissionNumber && gridId.equals(grid);
    }
  }

  /** The session of this node's present membership. */
  ClientSession currentSession() {
    GridSession cached = gridSession;
    Topology topology = topologyDriver.current();
    long admissionNumber = topology.membership().admissionNumber(messaging.self());
    if (admissionNumber == 0 || cached.matches(topology.gridId(), admissionNumber)) {
      return cached.session;
    }
    sessionLock.lock();
    try {
      if (!gridSession.matches(topology.gridId(), admissionNumber)) {
        SessionId id = new SessionId(messaging.self().id(), admissionNumber);
        gridSession = new GridSession(topology.gridId(), new ClientSession(id, clock));
      }
      return gridSession.session;
    } finally {
      sessionLock.unlock();
    }
  }

  NotAvailableException cutOffException() {
    String trouble = topologyDriver.problemText();
    return new NotAvailableException(
        "this node is cut off from the majority of its grid, which may continue without it; it"
            + " answers again once it reaches the majority"
            + (trouble.isEmpty() ? ": check the network and the other nodes" : ". " + trouble));
  }

  /** The owners of a segment; throws if the segment is lost. */
  static SegmentOwnership requireOwnership(Topology topology, int cache, int segment) {
    return topology.requireOwned(
        cache,
        segment,
        "it is available again when one of them returns, or give it up by Grid.acceptLoss; give"
            + " caches more owners to prevent this");
  }

  private int segmentOf(Topology topology, int cache, long hash) {
    return KeyHash.segment(hash, topology.caches().get(cache).definition().config().segments());
  }

  // ------------------------------------------------------------------ reads

  /**
   * Reads a key: here if this node is an owner and the entry is clean, otherwise at the primary.
   *
   * @param wantsValue false when only the version matters, and whether there is an entry
   */
  public ReadResult read(
      CacheResolver cacheResolver, byte[] key, boolean wantsValue, long deadline) {
    Topology topology = topologyDriver.current();
    int cacheIndex = cacheResolver.indexIn(topology);
    if (cacheIndex >= 0) {
      long hash = KeyHash.hash(topology.hashSeed(), key, 0, key.length);
      Replica replica = replicas.find(cacheIndex, segmentOf(topology, cacheIndex, hash));
      if (replica != null) {
        LocalRead localRead = readLocally(replica, hash, key, wantsValue, deadline);
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
    return readAtPrimary(cacheResolver, key, wantsValue, deadline);
  }

  /**
   * Reads a key here, with its value loaded into memory. Refuses if that takes long, and the
   * primary is asked then.
   */
  private LocalRead readLocally(
      Replica replica, long hash, byte[] key, boolean wantsValue, long deadline) {
    Entry loadedEntry = null;
    while (true) {
      LocalRead localRead = replica.readLocally(hash, key, 0, key.length).withValue(loadedEntry);
      Entry evicted = localRead.evictedEntry();
      if (evicted == null || !wantsValue || localRead.status() != LocalRead.Status.CLEAN) {
        return localRead;
      }
      ValueResidency.DiskAnswer loaded =
          replica.valueResidency().awaitLoaded(evicted, deadline - clock.nanoTime());
      if (loaded == null) {
        return new LocalRead(LocalRead.Status.REFUSED, localRead.epoch(), null);
      }
      loadedEntry = loaded.entry();
    }
  }

  private ReadResult readAtPrimary(
      CacheResolver cacheResolver, byte[] key, boolean wantsValue, long deadline) {
    Backoff backoff = new Backoff(clock, topologyDriver);
    RetryTimeout retryTimeout = new RetryTimeout(clock);
    ByteSlice slice = ByteSlice.of(key);
    int epoch = -1;
    while (true) {
      Topology topology = cacheResolver.awaitCreated(deadline);
      if (topologyDriver.isCutOff()) {
        throw cutOffException();
      }
      int cacheIndex = cacheResolver.indexIn(topology);
      int segment = segmentOf(topology, cacheIndex, topology.hashOf(slice));
      SegmentOwnership ownership = requireOwnership(topology, cacheIndex, segment);
      if (ownership.epoch() != epoch) {
        // Another node is asked now, which has lost no message yet.
        epoch = ownership.epoch();
        retryTimeout = new RetryTimeout(clock);
      }
      Member primary = ownership.primary();
      OperationReply answer =
          messaging.call(
              primary,
              new ReadRequest(topology.number(), cacheIndex, segment, wantsValue, slice),
              retryTimeout.nextDeadline(deadline),
              () -> isOutdated(topology, cacheIndex, segment),
              OperationReply::read);
      if (answer instanceof OperationReply.Found(ReadResult found)) {
        return found;
      }
      if (answer != null) {
        // An answer shows that the request was not lost.
        retryTimeout = new RetryTimeout(clock);
      }
      if (topologyDriver.isCutOff()) {
        throw cutOffException();
      }
      if (clock.nanoTime() - deadline >= 0) {
        throw new CallTimeoutException(
            "no answer to a read of segment "
                + segment
                + " from "
                + primary
                + " within "
                + timeoutText()
                + "; trying again is safe");
      }
      backoff.awaitNextTry(topology.number(), deadline);
      MessagingService.checkInterrupted();
    }
  }

  /** Whether the node that was asked may not be the one to answer any more. */
  private boolean isOutdated(Topology sentTopology, int cache, int segment) {
    Topology latest = topologyDriver.current();
    return topologyDriver.isCutOff()
        || !latest.gridId().equals(sentTopology.gridId())
        || (latest.number() != sentTopology.number()
            && latest.ownership(cache, segment).epoch()
                != sentTopology.ownership(cache, segment).epoch());
  }

  // ------------------------------------------------------------------ writes

  /** Executes an operation exactly once and returns its result. */
  public OperationResult write(
      CacheResolver cacheResolver, byte[] key, Operation operation, long deadline) {
    while (true) {
      Topology topology = cacheResolver.awaitCreated(deadline);
      int cacheIndex = cacheResolver.indexIn(topology);
      ByteSlice slice = ByteSlice.of(key);
      int segment = segmentOf(topology, cacheIndex, topology.hashOf(slice));
      FunctionExecutor.checkNotReentrant(topology.gridId(), cacheIndex, segment, slice);
      ClientSession session = currentSession();
      CommandSequencer sequencer = session.sequencer(cacheIndex, segment);
      long sequence = sequencer.begin(operation, deadline);
      InFlightWrite write = new InFlightWrite();
      long request = messaging.register(write);
      int resultBytes = -1;
      try {
        WriteContext context =
            new WriteContext(
                cacheIndex,
                segment,
                slice,
                operation,
                write,
                session,
                sequencer,
                sequence,
                request);
        OperationResult result = write(topology, context, deadline);
        if (result != null) {
          resultBytes = result.length();
          return result;
        }
      } finally {
        messaging.unregister(request);
        sequencer.end(sequence, resultBytes);
      }
    }
  }

  /** A write in progress. */
  private record WriteContext(
      int cache,
      int segment,
      ByteSlice key,
      Operation operation,
      InFlightWrite write,
      ClientSession session,
      CommandSequencer sequencer,
      long sequence,
      long request) {}

  /**
   * Sends a write until it is answered. Returns null when this node's membership ended before
   * anything could be written.
   */
  private @Nullable OperationResult write(
      Topology startTopology, WriteContext context, long deadline) {
    InFlightWrite write = context.write;
    Backoff backoff = new Backoff(clock, topologyDriver);
    RetryTimeout retryTimeout = new RetryTimeout(clock);
    int cache = context.cache;
    int segment = context.segment;
    boolean retry = false;
    while (true) {
      Topology topology = topologyDriver.current();
      if (!context.session.equals(currentSession())
          || !topology.gridId().equals(startTopology.gridId())) {
        if (write.isDoubtful()) {
          throw new IndeterminateException(
              "this node was excluded from the grid while a write was in flight; it may have been"
                  + " written: read the key to find out");
        }
        return null;
      }
      SegmentOwnership ownership = requireOwnershipFor(topology, cache, segment, write);
      if (topologyDriver.isCutOff() && !write.isDoubtful()) {
        throw cutOffException();
      }
      if (!isCurrentMember(topology, context.session)) {
        // Owners would not recognize this session. When this node is admitted again, it has another
        // session.
        if (mustGiveUp(deadline)) {
          throw unansweredException(context, ownership);
        }
        backoff.awaitNextTry(topology.number(), deadline);
        continue;
      }
      if (ownership.epoch() != write.sentEpoch()) {
        // Another node is asked now, which has lost no message yet.
        retryTimeout = new RetryTimeout(clock);
        retry = true;
      }
      if (retry) {
        retry = false;
        if (write.beginAttempt(ownership.epoch())) {
          sendWrite(topology, context, ownership, deadline);
        }
      }
      long until = retryTimeout.nextDeadline(deadline);
      awaitReply(write, topology, cache, segment, until);
      OperationResult result = write.result();
      if (result != null) {
        return result;
      }
      FunctionException failure = write.failure();
      if (failure != null) {
        throw failure;
      }
      if (write.isUnknowable()) {
        throw new IndeterminateException(
            "the owners of segment "
                + segment
                + " restarted while a write to it was in flight, and none of them knows the write;"
                + " it may have been written: read the key to find out");
      }
      if (write.isDiskFull() && !write.isDoubtful()) {
        throw diskFullException(ownership.primary());
      }
      if (mustGiveUp(deadline)) {
        throw unansweredException(context, ownership);
      }
      if (write.isRefused()) {
        // An answer shows that the request was not lost.
        retryTimeout = new RetryTimeout(clock);
        backoff.awaitNextTry(topology.number(), deadline);
        retry = true;
      } else if (clock.nanoTime() - until >= 0) {
        retry = true;
      }
    }
  }

  /** Whether this node is a member under the admission number of a session. */
  boolean isCurrentMember(Topology topology, ClientSession session) {
    return topology.membership().admissionNumber(messaging.self()) == session.id().admissionNumber()
        && session.id().admissionNumber() > 0;
  }

  private boolean mustGiveUp(long deadline) {
    return clock.nanoTime() - deadline >= 0
        || topologyDriver.isCutOff()
        || Thread.currentThread().isInterrupted();
  }

  private static SegmentOwnership requireOwnershipFor(
      Topology topology, int cache, int segment, InFlightWrite write) {
    try {
      return requireOwnership(topology, cache, segment);
    } catch (SegmentLostException | NotAvailableException e) {
      if (!write.isDoubtful()) {
        throw e;
      }
      throw new IndeterminateException(
          "a write was sent before its segment lost its last owner, and may have been made: "
              + e.getMessage());
    }
  }

  private void awaitReply(
      InFlightWrite write, Topology sentTopology, int cache, int segment, long until) {
    while (!write.isEnded() && !write.isRefused() && !topologyDriver.isCutOff()) {
      Topology topology = topologyDriver.current();
      long left = until - clock.nanoTime();
      if (left <= 0
          || !topology.gridId().equals(sentTopology.gridId())
          || topology.ownership(cache, segment).epoch() != write.sentEpoch()
          || Thread.currentThread().isInterrupted()) {
        return;
      }
      clock.parkNanos(write, left);
    }
  }

  private GridException unansweredException(WriteContext context, SegmentOwnership ownership) {
    InFlightWrite write = context.write;
    if (topologyDriver.isCutOff()) {
      return write.isDoubtful()
          ? new IndeterminateException(
              "this node was cut off from the majority of its grid while a write was in flight; it"
                  + " may have been written: read the key once this node reaches the majority")
          : cutOffException();
    }
    int segment = context.segment;
    Operation operation = context.operation;
    boolean interrupted = Thread.currentThread().isInterrupted();
    String what =
        interrupted
            ? "the calling thread was interrupted while a write of segment "
            : "no answer within " + timeoutText() + " to a write of segment ";
    String where = segment + " whose primary is " + ownership.primary() + timeoutHint(operation);
    if (write.isDoubtful()) {
      return new IndeterminateException(
          what + where + "; it may have been written: read the key to find out");
    }
    String safe = what + where + "; it was not written, trying again is safe";
    return interrupted ? new GridException(safe) : new CallTimeoutException(safe);
  }

  /** The exception for a full disk. Existing entries can still be read, and may be removed. */
  static GridException diskFullException(Member primary) {
    return new NotAvailableException(
        "the disk of node "
            + primary
            + " is full, so nothing is written to the caches it keeps there: free disk space; the"
            + " write was not made, and trying again is safe");
  }

  private static String timeoutHint(Operation operation) {
    return operation.unwrap() instanceof ApplyFunction
        ? " (by a function: a slow one delays others on the same key, and one that causes a write"
            + " to its own key waits for itself)"
        : "";
  }

  private void sendWrite(
      Topology topology, WriteContext context, SegmentOwnership ownership, long deadline) {
    ClientSession session = context.session;
    int segment = context.segment;
    long lowest = context.sequencer.lowestUnanswered();
    Member primary = ownership.primary();
    int attempt = context.write.attempt();
    int firstEpoch = context.write.firstEpoch();
    if (primary.equals(messaging.self())) {
      CommandId command =
          new CommandId(
              session.id(), context.sequence, lowest, context.request, attempt, firstEpoch);
      writeHandler.write(
          primary,
          context.cache,
          segment,
          ownership.epoch(),
          command,
          context.key,
          context.operation);
      return;
    }
    WriteRequest request =
        new WriteRequest(
            topology.number(),
            context.cache,
            segment,
            ownership.epoch(),
            firstEpoch,
            attempt,
            session.id().admissionNumber(),
            context.sequence,
            lowest,
            context.key,
            context.operation);
    messaging.send(primary, context.request, request, deadline);
  }

  String timeoutText() {
    return TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms";
  }

  /**
   * Sends a bulk write and returns the answer; null if there is none, or when the primary is not a
   * member any more.
   */
  @Nullable Input callBulk(
      Topology topology,
      int cache,
      ClientSession session,
      Member primary,
      List<BulkWriteItem> items,
      long deadline) {
    return messaging.call(
        primary,
        new BulkWriteRequest(topology.number(), cache, session.id().admissionNumber(), items),
        deadline,
        () -> topologyDriver.isCutOff() || !topologyDriver.current().members().contains(primary));
  }
}
