package io.cantle.core.scan;

import io.cantle.core.agreement.Lease;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.container.Entry;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.replica.AckExchange;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.Transport;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ReduceRequest;
import io.cantle.core.wire.ScanMessage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The owner side of scans: answers pulls, reductions and counts from the replicas of this node. It
 * works on each request for about a second at most, and keeps nothing afterwards. What is read of a
 * segment counts only if the replica is in the same epoch, and the node still entitled to answer,
 * after the last entry was read as before the first.
 *
 * <p><b>Threading:</b> any thread. Each request has a virtual thread, which waits and answers.
 * Functions of users run on workers, because they may keep their thread as long as they like.
 */
public final class ScanServer {
  /** The initial size of an answer; most segments are far smaller than a pull may take. */
  private static final int INITIAL_ANSWER_BYTES = 1_024;

  /** The memory reserved for a partial result before it asks for more. */
  private static final long INITIAL_RESULT_BYTES = 16 << 10;

  private static final long MAX_COMMIT_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final String NO_MEMORY =
      "a function filled the heap of an owner, which leaves its grid";

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final Environment environment;
  private final AckExchange ackExchange;
  private final Lease lease;
  private final RunningScans runningScans;
  private final WorkerScheduler scheduler;
  private final AnswerMemory memory;
  private final PullServer pullServer;
  private final ReductionServer reductionServer;
  private final CountServer countServer;

  /** Creates the owner side over these replicas. */
  public ScanServer(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      Environment environment,
      ReplicaTable replicas,
      AckExchange ackExchange,
      ExpiryTrigger expiryTrigger,
      TaskInterpreter taskInterpreter,
      ScanMetrics metrics,
      MemoryAccount account) {
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.environment = environment;
    this.ackExchange = ackExchange;
    this.lease = topologyDriver.lease();
    this.runningScans = new RunningScans(messaging, topologyDriver, metrics);
    LongSupplier hashSeed = () -> topologyDriver.current().hashSeed();
    this.scheduler = new WorkerScheduler(environment);
    this.memory = new AnswerMemory(account, environment.clock());
    this.pullServer =
        new PullServer(replicas, taskInterpreter, hashSeed, this::awaitCommitted, expiryTrigger);
    this.reductionServer =
        new ReductionServer(
            environment,
            scheduler,
            replicas,
            taskInterpreter,
            hashSeed,
            this::awaitCommitted,
            expiryTrigger);
    this.countServer = new CountServer(messaging, replicas, ackExchange, lease, expiryTrigger);
  }

  /** Handles a message. Does not wait. */
  public void onMessage(Member from, long request, ScanMessage message) {
    switch (message) {
      case ScanMessage.Cancellation(long cancelled) -> runningScans.cancel(from, cancelled);
      case ScanMessage.Request(long topologyNumber, long scanNumber, ScanMessage.ScanBody body) -> {
        WorkerScheduler.ScanKey scanKey = new WorkerScheduler.ScanKey(from, scanNumber);
        topologyDriver.whenAdopted(topologyNumber, () -> onRequest(scanKey, request, body));
      }
    }
  }

  private void onRequest(WorkerScheduler.ScanKey scanKey, long request, ScanMessage.ScanBody body) {
    switch (body) {
      case ScanMessage.CountRequest count -> countServer.answer(scanKey.member(), request, count);
      case ScanMessage.EntryRequest question -> startRequest(question, scanKey, request);
    }
  }

  /** Stops the work on all requests: those in progress end soon. */
  public void close() {
    runningScans.close();
  }

  private void startRequest(
      ScanMessage.EntryRequest question, WorkerScheduler.ScanKey scanKey, long request) {
    Member from = scanKey.member();
    if (runningScans.isRunning(from, request)) {
      return;
    }
    if (runningScans.isFull()) {
      messaging.post(from, encodeRefusal(from, request));
      return;
    }
    RunningScans.RunningRequest work = runningScans.begin(from, request);
    if (work == null) {
      // Another copy of the request came first and will be answered, so this one is not refused.
      return;
    }
    environment
        .threads()
        .execute(
            () -> {
              try {
                buildAnswer(question, scanKey, work);
              } finally {
                work.end();
              }
            });
  }

  /** Builds an answer as soon as there is memory for it, sends it, and then releases the memory. */
  private void buildAnswer(
      ScanMessage.EntryRequest question,
      WorkerScheduler.ScanKey scanKey,
      RunningScans.RunningRequest work) {
    for (long bytes = initialBytes(question); bytes > 0; ) {
      bytes = sendAnswer(question, scanKey, work, bytes);
    }
  }

  /** The memory with which an answer begins. */
  private static long initialBytes(ScanMessage.EntryRequest question) {
    return question instanceof PullRequest pull ? pull.maxBytes() : INITIAL_RESULT_BYTES;
  }

  /** Sends an answer if these bytes are enough; returns how many it takes otherwise, or 0. */
  private long sendAnswer(
      ScanMessage.EntryRequest question,
      WorkerScheduler.ScanKey scanKey,
      RunningScans.RunningRequest work,
      long bytes) {
    try (AnswerMemory.AnswerRoom room = memory.awaitMemory(scanKey, bytes, work::isUnwanted)) {
      Output answer =
          room == null
              ? encodeRefusal(work.member(), work.request())
              : buildAnswer(question, scanKey, work, room);
      if (room != null && room.missedBytes() > bytes && !work.isUnwanted()) {
        return room.missedBytes();
      }
      if (!work.isCancelled()) {
        messaging.send(work.member(), answer);
      }
      return 0;
    }
  }

  private Output buildAnswer(
      ScanMessage.EntryRequest question,
      WorkerScheduler.ScanKey scanKey,
      RunningScans.RunningRequest work,
      AnswerMemory.AnswerRoom room) {
    Member to = work.member();
    long request = work.request();
    // Made while there is memory.
    Output lastAnswer =
        question.task() != null
            ? encodeFailure(to, request, new OutOfMemoryError(NO_MEMORY))
            : null;
    try {
      Output out = messaging.newResponse(to, request, INITIAL_ANSWER_BYTES);
      int statusAt = out.position();
      out.writeByte(ScanStatus.OK);
      boolean keepsAfterMove = writeAnswer(question, scanKey, work, room, out);
      if (work.isUnwanted()) {
        return encodeRefusal(to, request);
      }
      if (!lease.isHeld()) {
        // Checked after the last entry was read: see Lease.
        if (!keepsAfterMove) {
          out.truncate(statusAt + 1);
        }
        out.array()[statusAt] = ScanStatus.LEASE_LOST;
      }
      return out.position() <= Transport.MAX_MESSAGE_BYTES ? out : encodeTooLong(to, request);
    } catch (ReductionServer.OversizedResultException e) {
      return encodeTooLong(to, request);
    } catch (InterruptedException e) {
      return encodeRefusal(to, request);
    } catch (OutOfMemoryError e) {
      if (lastAnswer == null) {
        environment.outOfMemory().accept(e);
      } else if (environment.isHeapFull(e)) {
        environment.reportFullHeap(e, () -> messaging.post(work.member(), lastAnswer));
      } else {
        return encodeFailure(to, request, e);
      }
      throw e;
    } catch (Exception | Error e) {
      // Usually thrown by a user's function, so the caller gets it. Without an answer the caller
      // would send the request again and again.
      return encodeFailure(to, request, e);
    }
  }

  /**
   * Writes the body of an answer; returns whether it counts for some deliveries even after this
   * node lost its lease.
   */
  private boolean writeAnswer(
      ScanMessage.EntryRequest question,
      WorkerScheduler.ScanKey scanKey,
      RunningScans.RunningRequest work,
      AnswerMemory.AnswerRoom room,
      Output out)
      throws InterruptedException {
    switch (question) {
      case PullRequest pull when pull.task() == null ->
          pullServer.answer(pull, newTimeSlice(work), room, out);
      case PullRequest pull ->
          scheduler.runAll(
              scanKey,
              false,
              List.of(() -> pullServer.answer(pull, newTimeSlice(work), room, out)));
      case ReduceRequest request ->
          reductionServer.answer(request, scanKey, () -> newTimeSlice(work), room, out);
    }
    return question.keepsAfterMove();
  }

  private TimeSlice newTimeSlice(RunningScans.RunningRequest work) {
    return new TimeSlice(environment.clock(), work::isUnwanted, scheduler::sliceNanos);
  }

  /**
   * Waits on the current thread until an entry is committed; false if it is not, or not in time.
   */
  private boolean awaitCommitted(Replica replica, int epoch, Entry entry) {
    Signal signal = new Signal();
    AtomicBoolean committed = new AtomicBoolean();
    ackExchange.whenCommitted(
        replica,
        epoch,
        entry.index(),
        isCommitted -> {
          committed.set(isCommitted);
          signal.raise();
        });
    signal.await(environment.clock(), MAX_COMMIT_WAIT_NANOS);
    return committed.get();
  }

  private Output encodeRefusal(Member to, long request) {
    Output out = messaging.newResponse(to, request, 4);
    out.writeByte(ScanStatus.REFUSED);
    return out;
  }

  private Output encodeFailure(Member to, long request, Throwable thrown) {
    Output out = messaging.newResponse(to, request, 1_024);
    out.writeByte(ScanStatus.FAILED);
    out.writeString(messaging.self().name());
    ThrowableCodec.write(thrown, out);
    return out;
  }

  private Output encodeTooLong(Member to, long request) {
    Output out = messaging.newResponse(to, request, 64);
    out.writeByte(ScanStatus.TOO_LONG);
    out.writeString(messaging.self().name());
    out.writeVarint(Transport.MAX_MESSAGE_BYTES);
    return out;
  }
}
