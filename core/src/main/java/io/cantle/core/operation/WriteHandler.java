package io.cantle.core.operation;

import io.cantle.core.agreement.Lease;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.Input;
import io.cantle.core.codec.Codec;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.replica.CommandDecision;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.ExecuteResult;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaExpiry;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.ReplicationBatch;
import io.cantle.core.replica.SessionId;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The primary's side of writes: decides them and replicates them to the other writers, whose side
 * is {@link ReplicationHandler}.
 *
 * <p><b>Deciding.</b> {@link Replica#execute} runs the command with the replica's lock held, and
 * recognizes one that it has seen. If the command needs an evicted value, the value is loaded and
 * the command runs again. User code runs in {@link FunctionExecutor}, without the lock. A {@link
 * ConflictMerge} is also given tombstones, and its losses are counted.
 *
 * <p><b>Answering.</b> Each other writer notifies the origin directly, the first one with the
 * result. A write of this node itself is answered once it is committed. A command that wrote
 * nothing is answered once the entry it saw is committed, if the lease is still held then. A call
 * on this node executes its write here on its own thread, and is given the answer without a
 * message.
 *
 * <p><b>Threading:</b> any thread; nothing waits. Bulk messages are processed on virtual threads.
 */
public final class WriteHandler {
  /** The most attempts to load a value that a command finds evicted each time. */
  private static final int MAX_TRIES = 16;

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final ReplicaContext context;
  private final Lease lease;
  private final EntryExpirer expirer;
  private final EntryEvictor evictor;
  private final FunctionExecutor functionExecutor;
  private final FunctionFailureCache failureCache = new FunctionFailureCache();
  private final LostRaceTable lostRaces = new LostRaceTable();
  private final ConflictResolver conflictResolver;

  /** Creates the handler for these replicas. */
  public WriteHandler(
      ReplicaContext context,
      EntryExpirer expirer,
      EntryEvictor evictor,
      Codec codec,
      ConflictResolver conflictResolver) {
    this.context = context;
    this.messaging = context.messaging();
    this.topologyDriver = context.topologyDriver();
    this.lease = topologyDriver.lease();
    this.conflictResolver = conflictResolver;
    this.expirer = expirer;
    this.evictor = evictor;
    this.functionExecutor =
        new FunctionExecutor(context.environment(), new FunctionEvaluator(codec, conflictResolver));
  }

  // ------------------------------------------------------------------ writes at the primary

  /** Handles a write from a client. */
  public void onWrite(Member from, long request, Input in) {
    WriteRequest write = WriteRequest.read(in);
    topologyDriver.runOnceAdopted(write.topologyNumber(), () -> write(from, request, null, write));
  }

  /**
   * Executes a write whose topology this node has adopted, and replies.
   *
   * @param caller the call on this node that the write is of; null if it came in a message
   */
  void write(Member origin, long request, @Nullable InFlightWrite caller, WriteRequest write) {
    Replica replica = context.replicas().find(write.cache(), write.segment());
    if (replica == null) {
      // There may have been a replica when this message arrived for the first time. A call on this
      // node comes once.
      boolean isOvertaken = caller == null;
      respond(
          origin, caller, request, new OperationReply.RefusedReply(write.attempt(), isOvertaken));
      return;
    }
    CommandId command =
        new CommandId(
            new SessionId(origin.id(), write.admissionNumber()),
            write.sequence(),
            write.lowestUnanswered(),
            request,
            write.attempt(),
            write.firstEpoch());
    Operation operation = write.operation();
    WriteAttempt attempt =
        new WriteAttempt(origin, caller, replica, write.epoch(), command, write.key(), operation);
    if (!acceptsWrites()) {
      reply(attempt, attempt.refuse());
    } else if (operation.unwrap() instanceof ConflictMerge merge) {
      mergeEntry(attempt, merge);
    } else if (operation instanceof DivergenceProbe probe) {
      answerProbe(attempt, probe);
    } else {
      switch (execute(attempt, attempt)) {
        case ExecuteResult.ValueEvicted(Entry evicted) ->
            replica.valueResidency().load(evicted, loaded -> write(origin, request, caller, write));
        case CommandOutcome outcome when attempt.needsUserCode ->
            runFunction(attempt, decision -> executeOrRefuse(attempt, decision), finished -> {});
        case CommandOutcome outcome -> replyNotingRead(attempt, outcome, null);
      }
    }
  }

  /**
   * Replies to a command. A command that wrote nothing has read the entry, so the read is recorded
   * before the reply.
   */
  private void replyNotingRead(
      WriteAttempt attempt, CommandOutcome outcome, @Nullable Entry loadedEntry) {
    Replica replica = attempt.replica;
    if (!(outcome
            instanceof CommandOutcome.ResultOnly(int epoch, long index, OperationResult result))
        || !replica.expiry().hasDeadline()) {
      reply(attempt, outcome);
      return;
    }
    ByteSlice key = attempt.key;
    LocalRead localRead =
        replica.readLocally(
            topologyDriver.current().hashOf(key),
            key.bytes(),
            key.offset(),
            key.length(),
            loadedEntry);
    Entry evicted = localRead.evictedEntry();
    if (evicted != null && ReplicaExpiry.tracksReads(evicted)) {
      replica.valueResidency().load(evicted, loaded -> replyNotingRead(attempt, outcome, loaded));
      return;
    }
    Entry entry = expirer.noteRead(replica, localRead).entry();
    reply(
        attempt,
        entry != null && entry.epoch() == epoch && entry.index() > index
            ? new CommandOutcome.ResultOnly(epoch, entry.index(), result)
            : outcome);
  }

  /** Runs user code for a command, and replies. */
  private void runFunction(
      WriteAttempt attempt,
      FunctionExecutor.CommandExecution execution,
      Consumer<CommandOutcome> onEnded) {
    Topology topology = topologyDriver.current();
    FunctionChain callers =
        attempt.operation.unwrap() instanceof Operation.ApplyFunction apply
            ? apply.callers()
            : FunctionChain.NONE;
    functionExecutor.submit(
        topology.gridId(),
        attempt.replica,
        new FunctionExecutor.FunctionCall(
            cacheName(topology, attempt.replica),
            attempt.key,
            attempt.operation,
            callers.plus(topology.gridId(), attempt.replica.cache(), topology.hashOf(attempt.key)),
            () -> lostRaces.recordLost(CommandKey.of(attempt.replica, attempt.command)),
            execution,
            finished -> {
              onEnded.accept(finished);
              replyNotingRead(attempt, finished, null);
            },
            (readOutcome, thrown) -> replyFailed(attempt, readOutcome, thrown),
            () -> reply(attempt, attempt.refuse())));
  }

  /** The name of the cache; empty if it was destroyed, or this node has left its grid. */
  private static String cacheName(Topology topology, Replica replica) {
    CacheOwnership cache = topology.caches().find(replica.cache());
    return cache == null ? "" : cache.definition().name();
  }

  /** Says how far a replica had come when it left an earlier grid. */
  private void answerProbe(WriteAttempt attempt, DivergenceProbe probe) {
    Replica replica = attempt.replica;
    OperationResult result =
        isMeantFor(replica, probe.grid(), probe.birthEpoch())
            ? DivergenceProbe.toResult(replica.divergence().pointFrom(probe.leftGrid()))
            : ConflictMerge.NOT_APPLICABLE;
    CommandDecision decision =
        CommandDecision.seeingTombstones(found -> CommandEffect.none(result));
    reply(attempt, executeOrRefuse(attempt, decision));
  }

  /** Whether a merge names the grid that a segment is in, and the epoch in which it began empty. */
  private boolean isMeantFor(Replica replica, UUID grid, int birthEpoch) {
    Topology topology = topologyDriver.current();
    SegmentOwnership ownership = topology.findOwnership(replica.cache(), replica.segment());
    return grid.equals(topology.gridId())
        && ownership != null
        && birthEpoch == ownership.birthEpoch();
  }

  /** Decides what becomes of an entry merged from another side. */
  private void mergeEntry(WriteAttempt attempt, ConflictMerge merge) {
    // The losses of a command that was executed before have been counted already.
    boolean[] isNew = new boolean[1];
    FunctionExecutor.CommandExecution execution =
        decision -> {
          isNew[0] = false;
          CommandDecision recording =
              found -> {
                isNew[0] = true;
                return decision.decide(found);
              };
          // It waits for no disk, since a grid whose sides merge stores nothing.
          return executeOrRefuse(attempt, CommandDecision.seeingTombstones(recording));
        };
    Consumer<CommandOutcome> count =
        finished -> {
          if (isNew[0]) {
            countLosses(finished);
          }
        };
    CommandOutcome outcome =
        execution.execute(
            isMeantFor(attempt.replica, merge.grid(), merge.birthEpoch())
                ? attempt
                : found -> CommandEffect.none(ConflictMerge.NOT_APPLICABLE));
    if (attempt.needsUserCode) {
      runFunction(attempt, execution, count);
    } else {
      count.accept(outcome);
      reply(attempt, outcome);
    }
  }

  /** Counts the losses of a merge that was executed; a refused one changes nothing. */
  private void countLosses(CommandOutcome merged) {
    switch (merged) {
      case CommandOutcome.Written written -> conflictResolver.countLosses(written.write().result());
      case CommandOutcome.ResultOnly answer -> conflictResolver.countLosses(answer.result());
      default -> {}
    }
  }

  private void reply(WriteAttempt attempt, CommandOutcome outcome) {
    int number = attempt.command.attempt();
    switch (outcome) {
      case CommandOutcome.Refused() ->
          respond(attempt, new OperationReply.RefusedReply(number, false));
      // An attempt of a call on this node comes once, so it was not executed earlier.
      case CommandOutcome.Forgotten() ->
          respond(attempt, new OperationReply.RefusedReply(number, attempt.caller == null));
      case CommandOutcome.NoRoom(WriteRefusal refusal) ->
          respond(attempt, new OperationReply.NoRoomReply(number, refusal));
      case CommandOutcome.InDoubt() -> respond(attempt, new OperationReply.InDoubtReply(number));
      case CommandOutcome.Ignored() -> {}
      case CommandOutcome.ResultOnly answer ->
          replyOnceCommitted(
              attempt,
              answer,
              true,
              () ->
                  answer.result().isFailed()
                      ? newFailure(number, findFailure(attempt))
                      : new OperationReply.ResultReply(number, answer.result()));
      case CommandOutcome.Written written -> replicate(attempt, written);
    }
  }

  private void respond(WriteAttempt attempt, OperationReply reply) {
    respond(attempt.origin, attempt.caller, attempt.command.requestId(), reply);
  }

  private void respond(
      Member origin, @Nullable InFlightWrite caller, long request, OperationReply reply) {
    if (caller == null) {
      messaging.respond(origin, request, reply);
    } else {
      caller.onReply(reply);
    }
  }

  /**
   * Replies once what a command saw is committed, if this node may answer then.
   *
   * @param isOvertaken whether the next primary may complete the command if this node may not
   */
  private void replyOnceCommitted(
      WriteAttempt attempt,
      CommandOutcome.ResultOnly seen,
      boolean isOvertaken,
      Supplier<OperationReply> reply) {
    context
        .progressExchange()
        .notifyOnceCommitted(
            attempt.replica,
            seen.epoch(),
            seen.index(),
            isCommitted -> {
              boolean mayAnswer = isCommitted && lease.isHeld();
              int number = attempt.command.attempt();
              respond(
                  attempt,
                  mayAnswer ? reply.get() : new OperationReply.RefusedReply(number, isOvertaken));
            });
  }

  /**
   * Whether this node may write: the grid must be known to be in use. If other members continue
   * when this node is cut off, it must hold its lease too. Otherwise a late write would have a
   * later stamp than what they have written meanwhile, and would be taken for the later write when
   * sides merge. The replica checks the lease once more, since a function may run for long before
   * it writes.
   */
  boolean acceptsWrites() {
    GridDefinition gridDefinition = topologyDriver.current().gridDefinition();
    if (!gridDefinition.isWritten()) {
      topologyDriver.reportWrite();
    }
    return gridDefinition.isWritten()
        && (!gridDefinition.prefersAvailability() || topologyDriver.lease().isHeld());
  }

  private OperationReply newFailure(int attempt, byte[] thrown) {
    return new OperationReply.FailedReply(attempt, messaging.self().name(), ByteSlice.of(thrown));
  }

  /** The failure of a function, for a caller that missed the answer. */
  private byte[] findFailure(WriteAttempt attempt) {
    byte[] thrown = failureCache.find(attempt.replica, attempt.command);
    return thrown != null
        ? thrown
        : ThrowableCodec.toBytes(
            new IllegalStateException(
                "the function failed, but what it threw is not known any more; read the key before"
                    + " you call it again"));
  }

  private void replyFailed(WriteAttempt attempt, CommandOutcome readOutcome, Throwable failure) {
    byte[] thrown = failureCache.remember(attempt.replica, attempt.command, failure);
    if (readOutcome instanceof CommandOutcome.ResultOnly seen) {
      replyOnceCommitted(attempt, seen, false, () -> newFailure(attempt.command.attempt(), thrown));
    }
  }

  /**
   * Executes an operation that needs no user code. Waits for a value that is on disk only; nothing
   * is done if the value cannot be loaded in time. The caller replicates a write, and performs its
   * effects then.
   */
  ExecuteResult tryExecute(WriteAttempt attempt, CommandDecision decision) {
    ExecuteResult result = execute(attempt, decision);
    for (int tries = 1; tries < MAX_TRIES; tries++) {
      if (!(result instanceof ExecuteResult.ValueEvicted(Entry evicted))
          || attempt.replica.valueResidency().awaitLoaded(List.of(evicted)) == null) {
        return result;
      }
      result = execute(attempt, decision);
    }
    return result;
  }

  private CommandOutcome executeOrRefuse(WriteAttempt attempt, CommandDecision decision) {
    return tryExecute(attempt, decision) instanceof CommandOutcome outcome
        ? outcome
        : attempt.refuse();
  }

  /** The resender of the primary's writes. */
  WriteResender resender() {
    return expirer.resender();
  }

  /**
   * Executes a command. The effects of a write are left to its caller, which replicates it first:
   * they may be those of other steps, and take long.
   */
  private ExecuteResult execute(WriteAttempt attempt, CommandDecision decision) {
    Replica replica = attempt.replica;
    ByteSlice key = attempt.key;
    expirer.expireDue(replica);
    ExecuteResult outcome =
        replica.execute(
            lease::isHeld,
            attempt.epoch,
            attempt.command,
            topologyDriver.current().hashOf(key),
            key.bytes(),
            key.offset(),
            key.length(),
            decision);
    if (!(outcome instanceof CommandOutcome.Written)) {
      replica.performEffects();
    }
    return outcome;
  }

  private void replicate(WriteAttempt attempt, CommandOutcome.Written written) {
    sendWrite(attempt, written);
    attempt.replica.performEffects();
    evictor.evictExcess(attempt.replica);
  }

  /** Ends what is due in a segment, before a direct write. */
  void expireDue(Replica replica) {
    expirer.expireDue(replica);
  }

  /** Does what follows from a direct write, which no other writer is told. */
  void finishDirect(Replica replica) {
    replica.performEffects();
    evictor.evictExcess(replica);
  }

  private void sendWrite(WriteAttempt attempt, CommandOutcome.Written written) {
    Replica replica = attempt.replica;
    ReplicaState state = written.state();
    List<Member> others = written.route().receivers();
    long index = written.write().index();
    if (others.isEmpty()) {
      // No other node confirms the write, so the lease must be held at the reply.
      if (replica.barrier().isSynchronous()) {
        replica.notifyOnceCommitted(
            state.epoch(),
            index,
            isCommitted -> replySettled(attempt, written, isCommitted && lease.isHeld()));
      } else {
        replySettled(attempt, written, lease.isHeld());
      }
      return;
    }
    expirer.resender().onReplicated();
    boolean isOwnWrite = attempt.origin.equals(messaging.self());
    if (isOwnWrite) {
      replica.notifyOnceCommitted(
          state.epoch(), index, isCommitted -> replySettled(attempt, written, isCommitted));
    }
    // A durable replica holds a write once it is on disk. This node then notifies the origin as the
    // others do.
    int expected = others.size() + (replica.barrier().isSynchronous() ? 1 : 0);
    for (int place = 0; place < others.size(); place++) {
      OrderedWrite.OriginNotice notice =
          isOwnWrite ? OrderedWrite.OriginNotice.NONE : newNotice(place, expected);
      ReplicationBatch batch =
          new ReplicationBatch(
              replica.cache(), List.of(segmentWrite(replica, written, notice, place)));
      messaging.post(others.get(place), batch);
    }
    if (!isOwnWrite && replica.barrier().isSynchronous()) {
      OperationReply held =
          new OperationReply.HeldReply(state.epoch(), others.size(), expected, null);
      replica.barrier().runOnceHeld(() -> respond(attempt, held));
    }
  }

  private void replySettled(WriteAttempt attempt, CommandOutcome.Written written, boolean isValid) {
    int number = attempt.command.attempt();
    respond(
        attempt,
        isValid
            ? new OperationReply.ResultReply(number, written.write().result())
            : new OperationReply.RefusedReply(number, true));
  }

  private static OrderedWrite.OriginNotice newNotice(int place, int expected) {
    OrderedWrite.OriginNotice.NoticeKind kind =
        place == 0
            ? OrderedWrite.OriginNotice.NoticeKind.ACKNOWLEDGE_WITH_RESULT
            : OrderedWrite.OriginNotice.NoticeKind.ACKNOWLEDGE;
    return new OrderedWrite.OriginNotice(kind, place, expected);
  }

  static ReplicationBatch.SegmentWrite segmentWrite(
      Replica replica,
      CommandOutcome.Written written,
      OrderedWrite.OriginNotice notice,
      int place) {
    // A joiner may lack the entry that is replaced. And a backup must not wait for its disk, where
    // the replaced value may be.
    boolean backup = place < written.state().backupCount() && !replica.barrier().isDurable();
    return new ReplicationBatch.SegmentWrite(
        replica.segment(),
        written.state().epoch(),
        written.committed(),
        notice,
        written.write(),
        backup && written.isResultPrevious(),
        written.route().chain());
  }
}
