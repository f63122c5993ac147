package io.cantle.core.operation;

import io.cantle.core.agreement.Lease;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.codec.Codec;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.AckExchange;
import io.cantle.core.replica.CommandDecision;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.CommitNotifier;
import io.cantle.core.replica.ExecuteResult;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaExpiry;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.ReplicationBatch;
import io.cantle.core.replica.SessionId;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
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
 * nothing is answered once the entry it saw is committed, if the lease is still held then.
 *
 * <p><b>Threading:</b> any thread; nothing waits. Bulk messages are processed on virtual threads.
 */
public final class WriteHandler {
  /** The most attempts to load a value that a command finds evicted each time. */
  private static final int MAX_TRIES = 16;

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final ReplicaTable replicas;
  private final CommitNotifier commitNotifier;
  private final AckExchange ackExchange;
  private final Lease lease;
  private final EntryExpirer expirer;
  private final FunctionExecutor functionExecutor;
  private final FunctionFailureCache failureCache = new FunctionFailureCache();
  private final ConflictResolver conflictResolver;

  /** Creates the handler for these replicas. */
  public WriteHandler(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      Environment environment,
      ReplicaTable replicas,
      CommitNotifier commitNotifier,
      AckExchange ackExchange,
      EntryExpirer expirer,
      Codec codec,
      ConflictResolver conflictResolver) {
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.replicas = replicas;
    this.commitNotifier = commitNotifier;
    this.ackExchange = ackExchange;
    this.lease = topologyDriver.lease();
    this.conflictResolver = conflictResolver;
    this.expirer = expirer;
    this.functionExecutor =
        new FunctionExecutor(environment, new FunctionEvaluator(codec, conflictResolver));
  }

  // ------------------------------------------------------------------ writes at the primary

  /** Handles a write from a client. */
  public void onWrite(Member from, long request, Input in) {
    WriteRequest write = WriteRequest.read(in);
    topologyDriver.whenAdopted(write.topologyNumber(), () -> write(from, request, write));
  }

  /** Executes a write whose topology this node has adopted, and replies. */
  void write(Member origin, long request, WriteRequest write) {
    CommandId command =
        new CommandId(
            new SessionId(origin.id(), write.admissionNumber()),
            write.sequence(),
            write.lowestUnanswered(),
            request,
            write.attempt(),
            write.firstEpoch());
    write(
        origin,
        write.cache(),
        write.segment(),
        write.epoch(),
        command,
        write.key(),
        write.operation());
  }

  void write(
      Member origin,
      int cache,
      int segment,
      int epoch,
      CommandId command,
      ByteSlice key,
      Operation operation) {
    Replica replica = replicas.find(cache, segment);
    if (replica == null) {
      // There may have been a replica when this message arrived for the first time.
      replyOvertaken(origin, command);
      return;
    }
    if (!acceptsWrites()) {
      reply(replica, origin, command, replica.refuse(epoch, command));
      return;
    }
    if (operation.unwrap() instanceof ConflictMerge merge) {
      mergeEntry(replica, origin, epoch, command, key, operation, merge);
      return;
    }
    if (operation instanceof DivergenceProbe probe) {
      answerProbe(replica, origin, epoch, command, key, probe);
      return;
    }
    OperationDecision decision = new OperationDecision(operation, key);
    switch (execute(replica, epoch, command, key, decision)) {
      case ExecuteResult.ValueEvicted(Entry evicted) ->
          replica
              .valueResidency()
              .load(
                  evicted, loaded -> write(origin, cache, segment, epoch, command, key, operation));
      case CommandOutcome outcome when decision.needsUserCode -> {
        FunctionExecutor.CommandExecution execution =
            settled -> executeOrRefuse(replica, epoch, command, key, settled);
        runFunction(replica, origin, epoch, command, key, operation, execution, finished -> {});
      }
      case CommandOutcome outcome -> replyNotingRead(replica, origin, command, outcome, key, null);
    }
  }

  /**
   * Replies to a command. A command that wrote nothing has read the entry, so the read is recorded
   * before the reply.
   */
  private void replyNotingRead(
      Replica replica,
      Member origin,
      CommandId command,
      CommandOutcome outcome,
      ByteSlice key,
      @Nullable Entry loadedEntry) {
    if (!(outcome instanceof CommandOutcome.Answer(int epoch, long index, OperationResult result))
        || !EntryExpirer.mayHaveExpiringEntries(replica)) {
      reply(replica, origin, command, outcome);
      return;
    }
    LocalRead localRead =
        replica
            .readLocally(
                topologyDriver.current().hashOf(key), key.bytes(), key.offset(), key.length())
            .withValue(loadedEntry);
    Entry evicted = localRead.evictedEntry();
    if (evicted != null && ReplicaExpiry.tracksReads(evicted)) {
      replica
          .valueResidency()
          .load(evicted, loaded -> replyNotingRead(replica, origin, command, outcome, key, loaded));
      return;
    }
    Entry entry = expirer.noteRead(replica, localRead).entry();
    CommandOutcome adjusted =
        entry != null && entry.epoch() == epoch && entry.index() > index
            ? new CommandOutcome.Answer(epoch, entry.index(), result)
            : outcome;
    reply(replica, origin, command, adjusted);
  }

  /** Runs user code for a command, and replies. */
  private void runFunction(
      Replica replica,
      Member origin,
      int epoch,
      CommandId command,
      ByteSlice key,
      Operation operation,
      FunctionExecutor.CommandExecution execution,
      Consumer<CommandOutcome> onEnded) {
    functionExecutor.submit(
        topologyDriver.current().gridId(),
        replica,
        new FunctionExecutor.FunctionCall(
            cacheName(topologyDriver.current(), replica),
            key,
            operation,
            execution,
            finished -> {
              onEnded.accept(finished);
              replyNotingRead(replica, origin, command, finished, key, null);
            },
            (readOutcome, thrown) -> replyFailed(replica, origin, command, readOutcome, thrown),
            () -> reply(replica, origin, command, replica.refuse(epoch, command))));
  }

  /** The name of the cache; empty in a grid that was left, where nothing is done in it any more. */
  private static String cacheName(Topology topology, Replica replica) {
    return replica.cache() < topology.caches().size()
        ? topology.caches().get(replica.cache()).definition().name()
        : "";
  }

  /** Says how far a replica had come when it left an earlier grid. */
  private void answerProbe(
      Replica replica,
      Member origin,
      int epoch,
      CommandId command,
      ByteSlice key,
      DivergenceProbe probe) {
    OperationResult result =
        isMeantFor(replica, probe.grid(), probe.birthEpoch())
            ? new DivergenceProbe.DivergenceAnswer(replica.divergenceFrom(probe.leftGrid()))
                .toResult()
            : ConflictMerge.NOT_APPLICABLE;
    CommandDecision decision =
        CommandDecision.seeingTombstones(found -> CommandEffect.none(result));
    reply(replica, origin, command, executeOrRefuse(replica, epoch, command, key, decision));
  }

  /** Whether a merge names the grid that a segment is in, and the epoch in which it began empty. */
  private boolean isMeantFor(Replica replica, UUID grid, int birthEpoch) {
    Topology topology = topologyDriver.current();
    return grid.equals(topology.gridId())
        && birthEpoch == topology.ownership(replica.cache(), replica.segment()).birthEpoch();
  }

  /** Decides what becomes of an entry merged from another side. */
  private void mergeEntry(
      Replica replica,
      Member origin,
      int epoch,
      CommandId command,
      ByteSlice key,
      Operation operation,
      ConflictMerge merge) {
    boolean isNotApplicable = !isMeantFor(replica, merge.grid(), merge.birthEpoch());
    CommandDecision firstDecision =
        found -> {
          CommandEffect effect =
              isNotApplicable
                  ? CommandEffect.none(ConflictMerge.NOT_APPLICABLE)
                  : operation.decide(key, found);
          return effect == null ? CommandEffect.undecided() : effect;
        };
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
          return executeOrRefuse(
              replica, epoch, command, key, CommandDecision.seeingTombstones(recording));
        };
    Consumer<CommandOutcome> count =
        finished -> {
          if (isNew[0]) {
            countLosses(finished);
          }
        };
    CommandOutcome outcome = execution.execute(firstDecision);
    boolean undecided =
        outcome instanceof CommandOutcome.Answer(int in, long index, OperationResult result)
            && !result.hasValue()
            && !result.isFailed()
            && !isNotApplicable;
    if (undecided) {
      runFunction(replica, origin, epoch, command, key, operation, execution, count);
    } else {
      count.accept(outcome);
      reply(replica, origin, command, outcome);
    }
  }

  /** Counts the losses of a merge that was executed; a refused one changes nothing. */
  private void countLosses(CommandOutcome merged) {
    switch (merged) {
      case CommandOutcome.Written written -> conflictResolver.countLosses(written.write().result());
      case CommandOutcome.Answer(int in, long index, OperationResult result) ->
          conflictResolver.countLosses(result);
      default -> {}
    }
  }

  private void reply(Replica replica, Member origin, CommandId command, CommandOutcome outcome) {
    long request = command.requestId();
    int attempt = command.attempt();
    switch (outcome) {
      case CommandOutcome.Refused() ->
          messaging.respond(origin, request, new OperationReply.Refused(attempt, false));
      case CommandOutcome.Forgotten() -> replyOvertaken(origin, command);
      case CommandOutcome.DiskFull() ->
          messaging.respond(origin, request, new OperationReply.DiskFull(attempt));
      case CommandOutcome.InDoubt() ->
          messaging.respond(origin, request, new OperationReply.InDoubt(attempt));
      case CommandOutcome.Ignored() -> {}
      case CommandOutcome.Answer(int in, long index, OperationResult result) ->
          ackExchange.whenCommitted(
              replica,
              in,
              index,
              isCommitted -> {
                if (!isCommitted) {
                  replyOvertaken(origin, command);
                  return;
                }
                OperationReply answer =
                    result.isFailed()
                        ? newFailure(attempt, findFailure(replica, command))
                        : new OperationReply.Result(attempt, result);
                boolean leaseHeld = lease.isHeld();
                messaging.respond(
                    origin,
                    request,
                    leaseHeld ? answer : new OperationReply.Refused(attempt, true));
              });
      case CommandOutcome.Written written -> replicate(replica, origin, written);
    }
  }

  private void replyOvertaken(Member origin, CommandId command) {
    messaging.respond(
        origin, command.requestId(), new OperationReply.Refused(command.attempt(), true));
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
    return new OperationReply.Failed(attempt, messaging.self().name(), ByteSlice.of(thrown));
  }

  /** The failure of a function, for a caller that missed the answer. */
  private byte[] findFailure(Replica replica, CommandId command) {
    byte[] thrown = failureCache.find(replica, command);
    return thrown != null
        ? thrown
        : ThrowableCodec.toBytes(
            new IllegalStateException(
                "the function failed, but what it threw is not known any more"));
  }

  private void replyFailed(
      Replica replica,
      Member origin,
      CommandId command,
      CommandOutcome readOutcome,
      Throwable failure) {
    byte[] thrown = failureCache.remember(replica, command, failure);
    if (readOutcome instanceof CommandOutcome.Answer(int in, long index, OperationResult ignored)) {
      long request = command.requestId();
      int attempt = command.attempt();
      ackExchange.whenCommitted(
          replica,
          in,
          index,
          isCommitted -> {
            OperationReply answer = newFailure(attempt, thrown);
            boolean mayAnswer = isCommitted && lease.isHeld();
            messaging.respond(
                origin, request, mayAnswer ? answer : new OperationReply.Refused(attempt, false));
          });
    }
  }

  /**
   * Executes an operation that needs no user code. Waits for a value that is on disk only; nothing
   * is done if the value cannot be loaded in time.
   */
  ExecuteResult tryExecute(
      Replica replica, int epoch, CommandId command, ByteSlice key, Operation operation) {
    return tryExecute(replica, epoch, command, key, new OperationDecision(operation, key));
  }

  private ExecuteResult tryExecute(
      Replica replica, int epoch, CommandId command, ByteSlice key, CommandDecision decision) {
    ExecuteResult attempt = execute(replica, epoch, command, key, decision);
    for (int tries = 1; tries < MAX_TRIES; tries++) {
      if (!(attempt instanceof ExecuteResult.ValueEvicted(Entry evicted))
          || replica.valueResidency().awaitLoaded(evicted) == null) {
        return attempt;
      }
      attempt = execute(replica, epoch, command, key, decision);
    }
    return attempt;
  }

  private CommandOutcome executeOrRefuse(
      Replica replica, int epoch, CommandId command, ByteSlice key, CommandDecision decision) {
    return switch (tryExecute(replica, epoch, command, key, decision)) {
      case CommandOutcome outcome -> outcome;
      case ExecuteResult.ValueEvicted evicted -> replica.refuse(epoch, command);
    };
  }

  /** The resender of the primary's writes. */
  WriteResender resender() {
    return expirer.resender();
  }

  private ExecuteResult execute(
      Replica replica, int epoch, CommandId command, ByteSlice key, CommandDecision decision) {
    expirer.expireDue(replica);
    ExecuteResult outcome =
        replica.execute(
            lease::isHeld,
            epoch,
            command,
            topologyDriver.current().hashOf(key),
            key.bytes(),
            key.offset(),
            key.length(),
            decision);
    replica.performEffects();
    return outcome;
  }

  private void replicate(Replica replica, Member origin, CommandOutcome.Written written) {
    ReplicaState state = written.state();
    List<Member> others = state.others();
    OrderedWrite.CommandWrite item = written.write();
    long request = item.command().requestId();
    if (others.isEmpty()) {
      // No other node confirms the write, so the lease must be held at the reply.
      if (replica.isSynchronouslyDurable()) {
        replica.whenCommitted(
            state.epoch(),
            item.index(),
            isCommitted -> replySettled(origin, item, isCommitted && lease.isHeld()));
      } else {
        replySettled(origin, item, lease.isHeld());
      }
      return;
    }
    commitNotifier.notifySoon();
    expirer.resender().scheduleResend();
    boolean isOwnWrite = origin.equals(messaging.self());
    if (isOwnWrite) {
      replica.whenCommitted(
          state.epoch(), item.index(), isCommitted -> replySettled(origin, item, isCommitted));
    }
    // A durable replica holds a write once it is on disk. This node then notifies the origin as the
    // others do.
    int expected = others.size() + (replica.isSynchronouslyDurable() ? 1 : 0);
    for (int place = 0; place < others.size(); place++) {
      OrderedWrite.OriginNotice notice =
          isOwnWrite ? OrderedWrite.OriginNotice.NONE : newNotice(place, expected);
      ReplicationBatch batch =
          new ReplicationBatch(
              replica.cache(), List.of(segmentWrite(replica, written, notice, place)));
      messaging.post(others.get(place), batch);
    }
    if (!isOwnWrite && replica.isSynchronouslyDurable()) {
      int epoch = state.epoch();
      int place = others.size();
      replica.whenAcknowledgeable(
          () ->
              messaging.respond(
                  origin, request, new OperationReply.Held(epoch, place, expected, null)));
    }
  }

  private void replySettled(Member origin, OrderedWrite.CommandWrite item, boolean isValid) {
    CommandId command = item.command();
    if (isValid) {
      messaging.respond(
          origin, command.requestId(), new OperationReply.Result(command.attempt(), item.result()));
    } else {
      replyOvertaken(origin, command);
    }
  }

  private static OrderedWrite.OriginNotice newNotice(int place, int expected) {
    OrderedWrite.OriginNotice.Kind kind =
        place == 0
            ? OrderedWrite.OriginNotice.Kind.ACKNOWLEDGE_WITH_RESULT
            : OrderedWrite.OriginNotice.Kind.ACKNOWLEDGE;
    return new OrderedWrite.OriginNotice(kind, place, expected);
  }

  static ReplicationBatch.SegmentWrite segmentWrite(
      Replica replica,
      CommandOutcome.Written written,
      OrderedWrite.OriginNotice notice,
      int place) {
    // A joiner may lack the entry that is replaced. And a backup must not wait for its disk, where
    // the replaced value may be.
    boolean backup = place < written.state().backupCount() && !replica.isDurable();
    return new ReplicationBatch.SegmentWrite(
        replica.segment(),
        written.state().epoch(),
        written.committed(),
        notice,
        written.write(),
        backup && written.isResultPrevious());
  }
}
