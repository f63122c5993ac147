package io.cantle.core.operate;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.base.World;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Aging;
import io.cantle.core.replica.Attempt;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Decision;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Item;
import io.cantle.core.replica.Outcome;
import io.cantle.core.replica.Peek;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.replica.SessionId;
import io.cantle.core.topology.Charter;
import io.cantle.core.topology.Lease;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The primaries' half of writes: they decide and hand on to the others, which are {@link
 * Followers}.
 *
 * <p><b>Threading:</b> any thread; nothing waits. Bulk messages are carried out on virtual threads.
 */
public final class Writers {
  /** How often a value is brought back for a command that finds it evicted each time. */
  private static final int MAX_TRIES = 16;

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final Replicas replicas;
  private final CommitNotices notices;
  private final Acks acks;
  private final Lease lease;
  private final Expiry expiry;
  private final Functions functions;
  private final Failures failures = new Failures();
  private final Conflicts conflicts;

  /** The primaries' half of writes, over these replicas. */
  public Writers(
      Requests requests,
      TopologyKeeper topologies,
      World world,
      Replicas replicas,
      CommitNotices notices,
      Acks acks,
      Expiry expiry,
      Codec codec,
      Conflicts conflicts) {
    this.requests = requests;
    this.topologies = topologies;
    this.replicas = replicas;
    this.notices = notices;
    this.acks = acks;
    this.lease = topologies.lease();
    this.conflicts = conflicts;
    this.expiry = expiry;
    this.functions = new Functions(world.threads(), new UserCode(codec, conflicts));
  }

  // ------------------------------------------------------------------ writes at the primary

  /** Somebody writes a key here. */
  public void writeCame(Member from, long request, Input in) {
    long topologyNumber = in.readLong();
    int cache = in.readCount(Integer.MAX_VALUE);
    int segment = in.readCount(Integer.MAX_VALUE);
    int epoch = in.readCount(Integer.MAX_VALUE);
    int begun = epoch - in.readCount(epoch);
    int attempt = in.readCount(Integer.MAX_VALUE);
    SessionId session = new SessionId(from.id(), in.readVarint());
    long sequence = in.readVarint();
    long lowest = sequence - in.readVarint();
    Command command = new Command(session, sequence, lowest, request, attempt, begun);
    Slice key = Slice.read(in);
    Operation operation = Operation.read(in);
    topologies.whenAdopted(
        topologyNumber, () -> write(from, cache, segment, epoch, command, key, operation));
  }

  void write(
      Member origin,
      int cache,
      int segment,
      int epoch,
      Command command,
      Slice key,
      Operation operation) {
    Replica replica = replicas.find(cache, segment);
    if (replica == null) {
      // There may have been one when this message came for the first time.
      overtaken(origin, command);
      return;
    }
    if (!isInUse()) {
      answer(replica, origin, command, replica.refuse(epoch, command));
      return;
    }
    if (operation.bare() instanceof Merge merge) {
      merge(replica, origin, epoch, command, key, operation, merge);
      return;
    }
    Deciding decision = new Deciding(operation, key);
    switch (execute(replica, epoch, command, key, decision)) {
      case Attempt.Evicted(Entry evicted) ->
          replica
              .values()
              .bringBack(
                  evicted, back -> write(origin, cache, segment, epoch, command, key, operation));
      case Outcome outcome when decision.open -> {
        Functions.Execute execute = settled -> await(replica, epoch, command, key, settled);
        run(replica, origin, epoch, command, key, operation, execute, ended -> {});
      }
      case Outcome outcome -> answerNoted(replica, origin, command, outcome, key, null);
    }
  }

  /** Who wrote nothing has read what is there: that is noted before it is told. */
  private void answerNoted(
      Replica replica,
      Member origin,
      Command command,
      Outcome outcome,
      Slice key,
      @Nullable Entry read) {
    if (!(outcome instanceof Outcome.Answer(int epoch, long index, Result result))
        || !Expiry.mayNoteReads(replica)) {
      answer(replica, origin, command, outcome);
      return;
    }
    Peek peek =
        replica
            .peek(topologies.current().hash(key), key.bytes(), key.offset(), key.length())
            .with(read);
    Entry evicted = peek.evicted();
    if (evicted != null && Aging.notesReads(evicted)) {
      replica
          .values()
          .bringBack(evicted, back -> answerNoted(replica, origin, command, outcome, key, back));
      return;
    }
    Entry entry = expiry.read(replica, peek).entry();
    Outcome told =
        entry != null && entry.epoch() == epoch && entry.index() > index
            ? new Outcome.Answer(epoch, entry.index(), result)
            : outcome;
    answer(replica, origin, command, told);
  }

  /** Carries out what takes code of the user's, and answers. */
  private void run(
      Replica replica,
      Member origin,
      int epoch,
      Command command,
      Slice key,
      Operation operation,
      Functions.Execute execute,
      Consumer<Outcome> then) {
    functions.start(
        topologies.current().gridId(),
        replica,
        new Functions.Work(
            name(topologies.current(), replica),
            key,
            operation,
            execute,
            ended -> {
              then.accept(ended);
              answerNoted(replica, origin, command, ended, key, null);
            },
            (seen, thrown) -> failed(replica, origin, command, seen, thrown),
            () -> answer(replica, origin, command, replica.refuse(epoch, command))));
  }

  /** What the cache is called; in a grid that has been left nothing is done in it any more. */
  private static String name(Topology topology, Replica replica) {
    return replica.cache() < topology.caches().size()
        ? topology.caches().get(replica.cache()).definition().name()
        : "";
  }

  /** Decides what becomes of an entry of another side. */
  private void merge(
      Replica replica,
      Member origin,
      int epoch,
      Command command,
      Slice key,
      Operation operation,
      Merge merge) {
    Topology topology = topologies.current();
    boolean elsewhere =
        !merge.grid().equals(topology.gridId())
            || merge.born() != topology.ownership(replica.cache(), replica.segment()).born();
    Decision first =
        found -> {
          Effect effect = elsewhere ? Effect.none(Merge.ELSEWHERE) : operation.decide(key, found);
          return effect == null ? Effect.undecided() : effect;
        };
    // Of one that was carried out before, what it cost has been counted.
    boolean[] isNew = new boolean[1];
    Functions.Execute execute =
        decision -> {
          isNew[0] = false;
          Decision noting =
              found -> {
                isNew[0] = true;
                return decision.on(found);
              };
          // For no disk: a grid whose sides merge keeps nothing there.
          return await(replica, epoch, command, key, Decision.seeingRemoved(noting));
        };
    Consumer<Outcome> count =
        ended -> {
          if (isNew[0]) {
            count(ended);
          }
        };
    Outcome outcome = execute.execute(first);
    boolean open =
        outcome instanceof Outcome.Answer(int in, long index, Result result)
            && !result.hasValue()
            && !result.isFailed()
            && !elsewhere;
    if (open) {
      run(replica, origin, epoch, command, key, operation, execute, count);
    } else {
      count.accept(outcome);
      answer(replica, origin, command, outcome);
    }
  }

  /** Counts what a merge has cost, once that is so: who refuses it changes nothing. */
  private void count(Outcome merged) {
    switch (merged) {
      case Outcome.Written written -> conflicts.count(written.item().result());
      case Outcome.Answer(int in, long index, Result result) -> conflicts.count(result);
      default -> {}
    }
  }

  private void answer(Replica replica, Member origin, Command command, Outcome outcome) {
    long request = command.request();
    int attempt = command.attempt();
    Runnable overtaken = () -> overtaken(origin, command);
    switch (outcome) {
      case Outcome.Refused() -> requests.post(origin, Answers.refused(requests, request, attempt));
      case Outcome.Forgotten() -> overtaken.run();
      case Outcome.DiskFull() ->
          requests.post(origin, Answers.diskFull(requests, request, attempt));
      case Outcome.InDoubt() -> requests.post(origin, Answers.inDoubt(requests, request, attempt));
      case Outcome.Ignored() -> {}
      case Outcome.Answer(int in, long index, Result result) ->
          acks.whenCommitted(
              replica,
              in,
              index,
              () -> {
                Output answer =
                    result.isFailed()
                        ? Answers.failed(requests, request, attempt, failedBefore(replica, command))
                        : Answers.result(requests, request, attempt, result);
                boolean held = lease.held();
                requests.post(
                    origin, held ? answer : Answers.overtaken(requests, request, attempt));
              },
              overtaken);
      case Outcome.Written written -> handOn(replica, origin, written, overtaken);
    }
  }

  private void overtaken(Member origin, Command command) {
    requests.post(origin, Answers.overtaken(requests, command.request(), command.attempt()));
  }

  /**
   * Whether the grid is known to be in use: before that nothing may be written. Where others go on
   * when this node is cut off, it must not do late what they have done meanwhile: that would be
   * stamped as the later write, and be taken for one when sides merge. The replica asks once more,
   * for a function may run for long before anything is written.
   */
  boolean isInUse() {
    Charter charter = topologies.current().charter();
    if (!charter.used()) {
      topologies.reportUsed();
    }
    return charter.used() && (!charter.available() || topologies.lease().held());
  }

  /** For a caller that missed what its function threw. */
  private byte[] failedBefore(Replica replica, Command command) {
    byte[] thrown = failures.find(replica, command);
    return thrown != null
        ? thrown
        : Thrown.bytes(
            new IllegalStateException("the function failed; what it threw was lost on the way"));
  }

  private void failed(
      Replica replica, Member origin, Command command, Outcome seen, Throwable failure) {
    byte[] thrown = failures.keep(replica, command, failure);
    if (seen instanceof Outcome.Answer(int in, long index, Result ignored)) {
      long request = command.request();
      int attempt = command.attempt();
      Runnable refuse = () -> requests.post(origin, Answers.refused(requests, request, attempt));
      acks.whenCommitted(
          replica,
          in,
          index,
          () -> {
            Output answer = Answers.failed(requests, request, attempt, thrown);
            boolean held = lease.held();
            requests.post(origin, held ? answer : Answers.refused(requests, request, attempt));
          },
          refuse);
    }
  }

  /**
   * Carries out what takes no code of the user's; waits for a value that is on disk only. Nothing
   * was done if that is not in memory in time.
   */
  Attempt attempt(Replica replica, int epoch, Command command, Slice key, Operation operation) {
    return attempt(replica, epoch, command, key, new Deciding(operation, key));
  }

  private Attempt attempt(
      Replica replica, int epoch, Command command, Slice key, Decision decision) {
    Attempt attempt = execute(replica, epoch, command, key, decision);
    for (int tries = 1; tries < MAX_TRIES; tries++) {
      if (!(attempt instanceof Attempt.Evicted(Entry evicted))
          || replica.values().awaitBack(evicted) == null) {
        return attempt;
      }
      attempt = execute(replica, epoch, command, key, decision);
    }
    return attempt;
  }

  private Outcome await(Replica replica, int epoch, Command command, Slice key, Decision decision) {
    return switch (attempt(replica, epoch, command, key, decision)) {
      case Outcome outcome -> outcome;
      case Attempt.Evicted evicted -> replica.refuse(epoch, command);
    };
  }

  /** What sends again. */
  Resends resends() {
    return expiry.resends();
  }

  private Attempt execute(
      Replica replica, int epoch, Command command, Slice key, Decision decision) {
    expiry.settle(replica);
    Attempt outcome =
        replica.execute(
            lease::held,
            epoch,
            command,
            topologies.current().hash(key),
            key.bytes(),
            key.offset(),
            key.length(),
            decision);
    if (outcome instanceof Outcome.Written written && written.item().segmentMillis() >= 0) {
      expiry.watch();
    }
    return outcome;
  }

  private void handOn(Replica replica, Member origin, Outcome.Written written, Runnable overtaken) {
    ReplicaState state = written.state();
    List<Member> others = state.others();
    Item.Write item = written.item();
    long request = item.command().request();
    int attempt = item.command().attempt();
    if (others.isEmpty()) {
      if (replica.waitsForDisk()) {
        replica.whenCommitted(
            state.epoch(), item.index(), () -> tellAlone(origin, item, overtaken), overtaken);
      } else {
        tellAlone(origin, item, overtaken);
      }
      return;
    }
    notices.due();
    expiry.resends().due();
    boolean mine = origin.equals(requests.self());
    if (mine) {
      replica.whenCommitted(
          state.epoch(),
          item.index(),
          () -> requests.post(origin, Answers.result(requests, request, attempt, item.result())),
          overtaken);
    }
    // Others hold it when it is on their disks; then this node tells the origin as they do.
    int expected = others.size() + (replica.waitsForDisk() ? 1 : 0);
    for (int place = 0; place < others.size(); place++) {
      Item.Notice notice = mine ? Item.Notice.NONE : notice(place, expected);
      Output out = requests.message(Kind.REPLICATE, 0, item.sizeBytes() + 64);
      out.writeVarint(replica.cache());
      writeItem(out, replica, written, notice, place);
      requests.post(others.get(place), out);
    }
    if (!mine && replica.waitsForDisk()) {
      int epoch = state.epoch();
      int place = others.size();
      replica.whenHeld(
          () ->
              requests.post(origin, Answers.held(requests, request, epoch, place, expected, null)));
    }
  }

  /** Nobody else vouches for it: the lease has to be held when it is told. */
  private void tellAlone(Member origin, Item.Write item, Runnable overtaken) {
    if (lease.held()) {
      long request = item.command().request();
      int attempt = item.command().attempt();
      requests.post(origin, Answers.result(requests, request, attempt, item.result()));
    } else {
      overtaken.run();
    }
  }

  private static Item.Notice notice(int place, int expected) {
    Item.Notice.Kind kind = place == 0 ? Item.Notice.Kind.RESULT : Item.Notice.Kind.HELD;
    return new Item.Notice(kind, place, expected);
  }

  static void writeItem(
      Output out, Replica replica, Outcome.Written written, Item.Notice notice, int place) {
    // A joiner may lack the entry that is replaced. And a backup must not wait for its disk, where
    // its value may be.
    boolean backup = place < written.state().backups() && !replica.isKept();
    writeItem(
        out,
        replica,
        written.state().epoch(),
        written.committed(),
        notice,
        written.item(),
        backup && written.resultIsPrevious());
  }

  static void writeItem(
      Output out,
      Replica replica,
      int epoch,
      long committed,
      Item.Notice notice,
      Item item,
      boolean resultIsPrevious) {
    out.writeVarint(replica.segment());
    out.writeVarint(epoch);
    out.writeVarint(committed);
    notice.write(out);
    item.write(out, resultIsPrevious);
  }
}
