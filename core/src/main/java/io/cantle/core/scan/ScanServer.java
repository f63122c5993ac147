package io.cantle.core.scan;

import io.cantle.core.agreement.Lease;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.call.CallPace;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.Transport;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ReduceRequest;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.TransferRequest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The owner side of scans: answers pulls, reductions, counts and transfers from the replicas of
 * this node. It works on each request for about a second at most, and keeps nothing afterwards.
 * What is read of a segment counts only if the replica is in the same epoch, and the node still
 * entitled to answer, after the last entry was read as before the first.
 *
 * <p>A request is decoded only once it is admitted. One that cannot be decoded is answered, because
 * its caller would wait for nothing.
 *
 * <p><b>Threading:</b> any thread. Each request has a virtual thread, which waits and answers.
 * Functions of users run on workers, because they may keep their thread as long as they like.
 */
public final class ScanServer {
  /** The least initial size of an answer. */
  private static final int MIN_ANSWER_BYTES = 1_024;

  /** How long the answer to a scan waits for memory. */
  static final long SCAN_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A joiner waits for its answer no longer than this, and then takes the owner for hung. */
  static final long TRANSFER_WAIT_NANOS = CallPace.TRANSFER.answerNanos() / 2;

  /** The memory reserved for a partial result before it asks for more. */
  private static final long INITIAL_RESULT_BYTES = 16 << 10;

  private static final String NO_MEMORY =
      "a function filled the heap of an owner, which leaves its grid";

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final Environment environment;
  private final Lease lease;
  private final RunningScans runningScans;

  /** Counted apart, so that scans do not hold up transfers. */
  private final RunningScans runningTransfers;

  private final WorkerScheduler scheduler;
  private final TaskInterpreter taskInterpreter;
  private final Function<TransferRequest, Projection> transfers;
  private final AnswerMemory scanMemory;
  private final AnswerMemory transferMemory;
  private final LocalReplicas localReplicas;
  private final CountServer countServer;

  /**
   * Creates the owner side over these replicas.
   *
   * @param transfers what a transfer takes of a segment
   * @param scanAccount the memory for answers to scans
   * @param transferAccount the memory for answers to transfers, which scans must not hold up
   */
  public ScanServer(
      ReplicaContext context,
      ExpiryTrigger expiryTrigger,
      TaskInterpreter taskInterpreter,
      Function<TransferRequest, Projection> transfers,
      ScanMetrics metrics,
      MemoryAccount scanAccount,
      MemoryAccount transferAccount) {
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
    this.environment = context.environment();
    this.lease = topologyDriver.lease();
    this.runningScans = new RunningScans(context, metrics::addRunning);
    this.runningTransfers = new RunningScans(context, change -> {});
    this.scheduler = new WorkerScheduler(environment);
    this.taskInterpreter = taskInterpreter;
    this.transfers = transfers;
    this.scanMemory = new AnswerMemory(scanAccount, environment.clock(), SCAN_WAIT_NANOS);
    this.transferMemory =
        new AnswerMemory(transferAccount, environment.clock(), TRANSFER_WAIT_NANOS);
    this.localReplicas = new LocalReplicas(context, expiryTrigger);
    this.countServer = new CountServer(context, localReplicas);
  }

  /** Handles a request. Does not wait. */
  public void onRequest(MessageKind kind, Member from, long request, Input body) {
    try {
      Input head = new Input(body.array(), body.position(), body.remaining());
      long topologyNumber = head.readLong();
      WorkerScheduler.ScanKey scanKey = new WorkerScheduler.ScanKey(from, head.readVarint());
      topologyDriver.runOnceAdopted(topologyNumber, () -> onRequest(kind, scanKey, request, body));
    } catch (MalformedException e) {
      messaging.respond(from, request, unreadable(e));
    }
  }

  /** Gives up a request whose answer is no longer needed. */
  public void onCancellation(Member from, ScanMessage.Cancellation cancellation) {
    runningScans.cancel(from, cancellation.request());
  }

  private void onRequest(
      MessageKind kind, WorkerScheduler.ScanKey scanKey, long request, Input body) {
    if (kind != MessageKind.COUNT) {
      startRequest(kind, scanKey, request, body);
      return;
    }
    try {
      if (ScanMessage.Request.read(kind, body).body() instanceof ScanMessage.CountRequest count) {
        countServer.answer(scanKey.member(), request, count);
      }
    } catch (MalformedException e) {
      messaging.respond(scanKey.member(), request, unreadable(e));
    }
  }

  /** Stops the work on all requests: those in progress end soon. */
  public void close() {
    runningScans.close();
    runningTransfers.close();
  }

  private void startRequest(
      MessageKind kind, WorkerScheduler.ScanKey scanKey, long request, Input body) {
    Member from = scanKey.member();
    RunningScans running = kind == MessageKind.TRANSFER ? runningTransfers : runningScans;
    if (running.isTooMuch(from, request)) {
      messaging.respond(from, request, new ScanFailure.ScanRefused());
      return;
    }
    RunningScans.RunningRequest work = running.begin(scanKey, request);
    if (work == null) {
      // A copy of the request came first and will be answered, so this one is not refused.
      return;
    }
    environment
        .threads()
        .execute(
            () -> {
              try {
                ScanMessage.Request message = ScanMessage.Request.read(kind, body);
                if (message.body() instanceof ScanMessage.EntryRequest question) {
                  message.callers().run(() -> buildAnswer(question, work));
                }
              } catch (MalformedException e) {
                messaging.send(from, encode(work, unreadable(e)));
              } finally {
                work.end();
              }
            });
  }

  /** Builds an answer as soon as there is memory for it, sends it, and then releases the memory. */
  private void buildAnswer(ScanMessage.EntryRequest question, RunningScans.RunningRequest work) {
    for (long bytes = initialBytes(question); bytes > 0; ) {
      bytes = sendAnswer(question, work, bytes);
    }
  }

  /** The memory with which an answer begins. */
  private static long initialBytes(ScanMessage.EntryRequest question) {
    return switch (question) {
      case PullRequest pull -> pull.maxBytes();
      case ReduceRequest reduce -> INITIAL_RESULT_BYTES;
      case TransferRequest transfer -> transfer.asPull().maxBytes();
    };
  }

  /** The size with which the array of an answer begins: so large that it seldom grows. */
  private int initialCapacity(ScanMessage.EntryRequest question) {
    PullRequest pull =
        switch (question) {
          case TransferRequest transfer -> transfer.asPull();
          case PullRequest pulled
              when pulled.task() == null && pulled.part() != PullRequest.EntryPart.KEY ->
              pulled;
          default -> null;
        };
    return pull == null
        ? MIN_ANSWER_BYTES
        : (int) Math.min(pull.maxBytes(), localReplicas.estimateBytes(pull)) + MIN_ANSWER_BYTES;
  }

  /** Sends an answer if these bytes are enough; returns how many it takes otherwise, or 0. */
  private long sendAnswer(
      ScanMessage.EntryRequest question, RunningScans.RunningRequest work, long bytes) {
    AnswerMemory memory = question instanceof TransferRequest ? transferMemory : scanMemory;
    try (AnswerMemory.AnswerRoom room = memory.awaitMemory(work.scanKey, bytes, work::isUnwanted)) {
      Output answer =
          room == null
              ? encode(work, new ScanFailure.ScanRefused())
              : buildAnswer(question, work, room);
      if (room != null && room.missedBytes() > bytes && !work.isUnwanted()) {
        return room.missedBytes();
      }
      if (!work.isCancelled()) {
        messaging.send(work.member, answer);
      }
      return 0;
    }
  }

  private Output buildAnswer(
      ScanMessage.EntryRequest question,
      RunningScans.RunningRequest work,
      AnswerMemory.AnswerRoom room) {
    // Made while there is memory.
    Output lastAnswer =
        question.task() != null
            ? encode(work, functionThrew(new OutOfMemoryError(NO_MEMORY)))
            : null;
    try {
      Output out = messaging.newResponse(work.member, work.request, initialCapacity(question));
      int statusAt = out.position();
      out.writeByte(ScanStatus.OK);
      boolean keepsAfterMove = writeAnswer(question, work, room, out);
      if (work.isUnwanted()) {
        return encode(work, new ScanFailure.ScanRefused());
      }
      if (!lease.isHeld()) {
        // Checked after the last entry was read: see Lease.
        if (!keepsAfterMove) {
          out.truncate(statusAt + 1);
        }
        out.array()[statusAt] = ScanStatus.LEASE_LOST;
      }
      return out.position() <= Transport.MAX_MESSAGE_BYTES ? out : encode(work, resultTooLong());
    } catch (ReductionServer.OversizedResultException e) {
      return encode(work, resultTooLong());
    } catch (InterruptedException e) {
      return encode(work, new ScanFailure.ScanRefused());
    } catch (OutOfMemoryError e) {
      if (lastAnswer == null) {
        environment.outOfMemoryHandler().accept(e);
      } else if (environment.isHeapFull(e)) {
        environment.reportFullHeap(e, () -> messaging.post(work.member, lastAnswer));
      } else {
        return encode(work, functionThrew(e));
      }
      throw e;
    } catch (Exception | Error e) {
      // Usually thrown by a user's function, so the caller gets it. Without an answer the caller
      // would send the request again and again.
      return encode(work, functionThrew(e));
    }
  }

  /**
   * Writes the body of an answer; returns whether it counts for some deliveries even after this
   * node lost its lease.
   */
  private boolean writeAnswer(
      ScanMessage.EntryRequest question,
      RunningScans.RunningRequest work,
      AnswerMemory.AnswerRoom room,
      Output out)
      throws InterruptedException {
    switch (question) {
      case PullRequest pull -> {
        // The functions of a task are decoded by a worker too, because that may run user code.
        Runnable answer =
            () ->
                newPullServer(pull, new ElementProjection(pull, taskInterpreter), work, room, out)
                    .run();
        if (pull.task() == null) {
          answer.run();
        } else {
          scheduler.runAll(work.scanKey, false, List.of(answer));
        }
      }
      case TransferRequest transfer ->
          newPullServer(transfer.asPull(), transfers.apply(transfer), work, room, out).run();
      case ReduceRequest request ->
          new ReductionServer(
                  environment,
                  scheduler,
                  localReplicas,
                  taskInterpreter,
                  request,
                  () -> newTimeSlice(work),
                  room)
              .answer(work.scanKey, out);
    }
    return question.keepsAfterMove();
  }

  private PullServer newPullServer(
      PullRequest pull,
      Projection projection,
      RunningScans.RunningRequest work,
      AnswerMemory.AnswerRoom room,
      Output out) {
    return new PullServer(localReplicas, pull, projection, newTimeSlice(work), room, out);
  }

  private TimeSlice newTimeSlice(RunningScans.RunningRequest work) {
    return new TimeSlice(environment.clock(), work::isUnwanted, scheduler::sliceNanos);
  }

  private Output encode(RunningScans.RunningRequest work, ScanFailure failure) {
    return messaging.encode(work.member, work.request, failure);
  }

  private ScanFailure functionThrew(Throwable thrown) {
    ByteSlice encoded = ByteSlice.of(ThrowableCodec.toBytes(thrown));
    return new ScanFailure.FunctionThrew(messaging.self().name(), encoded);
  }

  private ScanFailure unreadable(MalformedException cause) {
    String reason = String.valueOf(cause.getMessage());
    return new ScanFailure.UnreadableRequest(messaging.self().name(), reason);
  }

  private ScanFailure resultTooLong() {
    return new ScanFailure.ResultTooLong(messaging.self().name(), Transport.MAX_MESSAGE_BYTES);
  }
}
