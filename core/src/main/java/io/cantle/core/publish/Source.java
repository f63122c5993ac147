package io.cantle.core.publish;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.base.World;
import io.cantle.core.container.Entry;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.operate.Thrown;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Expiring;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.topology.Lease;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import io.cantle.core.transport.Transport;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The owners' half of scans. It answers pulls, partial results and counts from the replicas of this
 * node, works on each for about a second at most, and keeps nothing afterwards. What is told of a
 * segment counts only if the replica is in the same epoch, and as entitled to speak, after the last
 * entry was read as before the first.
 *
 * <p><b>Threading:</b> any thread; each request has a virtual thread, which waits and answers.
 * Functions of users run on workers, for they may keep their thread as long as they like.
 */
public final class Source {
  /** What an answer begins with; most segments are far smaller than a pull may take. */
  private static final int FIRST_BYTES = 1_024;

  /** What a partial result may take before it asks for more room. */
  private static final long SHARE_BYTES = 16 << 10;

  private static final long COMMIT_WAIT = TimeUnit.SECONDS.toNanos(2);

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final World world;
  private final Acks acks;
  private final Lease lease;
  private final Running running;
  private final Turns turns;
  private final AnswerMemory memory;
  private final OwnerPulls pulls;
  private final OwnerShares shares;
  private final OwnerCounts counts;

  /** The owners' half over these replicas. */
  public Source(
      Requests requests,
      TopologyKeeper topologies,
      World world,
      Replicas replicas,
      Acks acks,
      Expiring expiring,
      Tasks tasks,
      ScanMeter meter,
      MemoryAccount account) {
    this.requests = requests;
    this.topologies = topologies;
    this.world = world;
    this.acks = acks;
    this.lease = topologies.lease();
    this.running = new Running(requests, topologies, meter);
    LongSupplier hashSeed = () -> topologies.current().hashSeed();
    this.turns = new Turns(world);
    this.memory = new AnswerMemory(account, world.clock());
    this.pulls = new OwnerPulls(replicas, tasks, hashSeed, this::awaitCommitted, expiring);
    this.shares =
        new OwnerShares(world, turns, replicas, tasks, hashSeed, this::awaitCommitted, expiring);
    this.counts = new OwnerCounts(requests, replicas, acks, lease, expiring);
  }

  /** Handles a message, without waiting. */
  public void came(Kind kind, Member from, long request, Input in) {
    if (kind == Kind.CANCEL) {
      running.cancel(from, in.readVarint());
      return;
    }
    long topologyNumber = in.readLong();
    Turns.Stream stream = new Turns.Stream(from, in.readVarint());
    topologies.whenAdopted(
        topologyNumber,
        () -> {
          if (kind == Kind.COUNT) {
            counts.answer(from, request, in);
          } else {
            start(kind, stream, request, in);
          }
        });
  }

  /** Works for nobody any more: what is under way ends soon. */
  public void close() {
    running.close();
  }

  private void start(Kind kind, Turns.Stream stream, long request, Input in) {
    Member from = stream.asker();
    if (running.has(from, request)) {
      return;
    }
    if (running.full()) {
      requests.post(from, refusal(request));
      return;
    }
    Running.Work work = running.begin(from, request);
    if (work == null) {
      // Another copy of it came first: that is answered, and this one is not refused.
      return;
    }
    world
        .threads()
        .execute(
            () -> {
              try {
                answer(kind, stream, work, in);
              } finally {
                work.end();
              }
            });
  }

  /** Makes an answer and sends it, as soon as there is room for it; gives the room back then. */
  private void answer(Kind kind, Turns.Stream stream, Running.Work work, Input in) {
    Member from = work.member();
    Question question;
    try {
      question = kind == Kind.PULL ? new Pulled(Pull.read(in)) : new Shared(Share.read(in));
    } catch (MalformedException e) {
      requests.send(from, failure(work.request(), e));
      return;
    }
    try (AnswerMemory.AnswerRoom room =
        memory.await(stream, question.firstBytes(), work::unwanted)) {
      Output answer = room == null ? refusal(work.request()) : answer(question, stream, work, room);
      if (!work.cancelled()) {
        requests.send(from, answer);
      }
    }
  }

  private Output answer(
      Question question, Turns.Stream stream, Running.Work work, AnswerMemory.AnswerRoom room) {
    long request = work.request();
    try {
      Output out = requests.answer(request, FIRST_BYTES);
      int statusAt = out.position();
      out.writeByte(Outcome.OK);
      boolean keepsRefused = told(question, stream, work, room, out);
      if (work.unwanted()) {
        return refusal(request);
      }
      if (!lease.held()) {
        // Looked at after the last entry was read: see Lease.
        if (!keepsRefused) {
          out.truncate(statusAt + 1);
        }
        out.array()[statusAt] = Outcome.VOID;
      }
      return out.position() <= Transport.MAX_MESSAGE_BYTES ? out : tooLong(request);
    } catch (OwnerShares.TooLongException e) {
      return tooLong(request);
    } catch (InterruptedException e) {
      return refusal(request);
    } catch (OutOfMemoryError e) {
      world.outOfMemory().accept(e);
      throw e;
    } catch (Exception | Error e) {
      // Thrown by a user's function, as a rule: it belongs to whoever asked. Without an answer it
      // would be asked again and again.
      return failure(request, e);
    }
  }

  /** Writes what is told; returns whether it counts for some even if it should not be told. */
  private boolean told(
      Question question,
      Turns.Stream stream,
      Running.Work work,
      AnswerMemory.AnswerRoom room,
      Output out)
      throws InterruptedException {
    switch (question) {
      case Pulled(Pull pull) when pull.task() == null -> pulls.answer(pull, turn(work), room, out);
      case Pulled(Pull pull) ->
          turns.run(stream, false, List.of(() -> pulls.answer(pull, turn(work), room, out)));
      case Shared(Share share) -> shares.answer(share, stream, () -> turn(work), room, out);
    }
    return question.keepsRefused();
  }

  /** What is asked, and how much room an answer begins with. */
  private sealed interface Question {
    long firstBytes();

    boolean keepsRefused();
  }

  private record Pulled(Pull pull) implements Question {
    @Override
    public long firstBytes() {
      return pull.budgetBytes();
    }

    @Override
    public boolean keepsRefused() {
      return pull.keepsRefused();
    }
  }

  private record Shared(Share share) implements Question {
    @Override
    public long firstBytes() {
      return SHARE_BYTES;
    }

    @Override
    public boolean keepsRefused() {
      return share.keepsRefused();
    }
  }

  private Turn turn(Running.Work work) {
    return new Turn(world.clock(), work::unwanted, turns::nanos);
  }

  /** Waits, on whichever thread it is, until an entry may be told; false if that cannot be. */
  private boolean awaitCommitted(Replica replica, int epoch, Entry entry) {
    Signal signal = new Signal();
    AtomicBoolean committed = new AtomicBoolean();
    acks.whenCommitted(
        replica,
        epoch,
        entry.index(),
        () -> {
          committed.set(true);
          signal.raise();
        },
        signal::raise);
    signal.await(world.clock(), COMMIT_WAIT);
    return committed.get();
  }

  private Output refusal(long request) {
    Output out = requests.answer(request, 4);
    out.writeByte(Outcome.REFUSED);
    return out;
  }

  private Output failure(long request, Throwable thrown) {
    Output out = requests.answer(request, 1_024);
    out.writeByte(Outcome.FAILED);
    out.writeString(requests.self().name());
    Thrown.write(thrown, out);
    return out;
  }

  private Output tooLong(long request) {
    Output out = requests.answer(request, 64);
    out.writeByte(Outcome.TOO_LONG);
    out.writeString(requests.self().name());
    out.writeVarint(Transport.MAX_MESSAGE_BYTES);
    return out;
  }
}
