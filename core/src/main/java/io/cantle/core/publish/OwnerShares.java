package io.cantle.core.publish;

import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.base.World;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.replica.Replicas;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes partial results of the live entries of this node, by one thread or several. A result counts
 * with all that went into it or not at all: if a segment moved on before the last entry was read,
 * it is left out and its segments are told to be lost.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class OwnerShares {
  private static final long LOOK_AGAIN = TimeUnit.SECONDS.toNanos(1);

  private final World world;
  private final Replicas replicas;
  private final Tasks tasks;
  private final LongSupplier hashSeed;
  private final Scanned.Commitment commitment;

  OwnerShares(
      World world,
      Replicas replicas,
      Tasks tasks,
      LongSupplier hashSeed,
      Scanned.Commitment commitment) {
    this.world = world;
    this.replicas = replicas;
    this.tasks = tasks;
    this.hashSeed = hashSeed;
    this.commitment = commitment;
  }

  /** Writes the answer: some results, and how far each goes. */
  void answer(Share share, Supplier<Turn> turns, Output out) throws InterruptedException {
    List<Scanned> here = new ArrayList<>();
    List<Want> absent = new ArrayList<>();
    for (Want want : share.wants()) {
      Replica replica = replicas.find(share.cache(), want.segment());
      ReplicaState state = replica == null ? null : replica.state();
      if (replica != null && state != null && state.leads()) {
        here.add(new Scanned(replica, state, want, hashSeed.getAsLong()));
      } else {
        absent.add(want);
      }
    }
    for (Want want : absent) {
      out.writeVarint(want.segment() + 1L);
      out.writeByte(Outcome.ABSENT);
    }
    out.writeVarint(0);
    List<List<Scanned>> parts = parts(here, share.parallel() ? world.processors() : 1);
    out.writeVarint(parts.size());
    if (parts.size() == 1) {
      reduce(share, parts.getFirst(), turns.get(), out);
    } else if (!parts.isEmpty()) {
      sideBySide(share, parts, turns, out);
    }
  }

  /** Deals the segments out. */
  private static List<List<Scanned>> parts(List<Scanned> here, int most) {
    List<List<Scanned>> parts = new ArrayList<>();
    for (int i = 0; i < here.size(); i++) {
      if (i < most) {
        parts.add(new ArrayList<>());
      }
      parts.get(i % most).add(here.get(i));
    }
    return parts;
  }

  private void sideBySide(Share share, List<List<Scanned>> parts, Supplier<Turn> turns, Output out)
      throws InterruptedException {
    List<Part> running = new ArrayList<>();
    AtomicInteger open = new AtomicInteger(parts.size() - 1);
    Signal signal = new Signal();
    for (List<Scanned> segments : parts) {
      running.add(new Part(share, segments, turns.get()));
    }
    for (Part part : running.subList(1, running.size())) {
      world
          .threads()
          .execute(
              () -> {
                try {
                  part.run();
                } finally {
                  open.decrementAndGet();
                  signal.raise();
                }
              });
    }
    running.getFirst().run();
    while (open.get() > 0) {
      signal.await(world.clock(), LOOK_AGAIN);
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while others reduce");
      }
    }
    for (Part part : running) {
      part.copyTo(out);
    }
  }

  /** One of several results, on its way. */
  private final class Part {
    private final Share share;
    private final List<Scanned> segments;
    private final Turn turn;
    private final Output result = new Output(1_024);
    private volatile @Nullable Throwable thrown;

    Part(Share share, List<Scanned> segments, Turn turn) {
      this.share = share;
      this.segments = segments;
      this.turn = turn;
    }

    void run() {
      try {
        reduce(share, segments, turn, result);
      } catch (Exception | Error e) {
        // A user's function threw: it is told by whoever puts the parts together.
        thrown = e;
      }
    }

    void copyTo(Output out) {
      switch (thrown) {
        case null -> out.write(result.array(), 0, result.position());
        case Error error -> throw error;
        case RuntimeException exception -> throw exception;
        case Throwable other -> throw new IllegalStateException(other);
      }
    }
  }

  private void reduce(Share share, List<Scanned> segments, Turn turn, Output out) {
    int lengthAt = out.position();
    out.writeInt(0);
    int begin = out.position();
    LiveEntries entries = new LiveEntries(segments, turn, commitment);
    byte @Nullable [] task = share.task();
    Tasks.Reduction reduction = task == null ? OwnerShares::count : tasks.reduction(task);
    reduction.reduce(entries, out);
    boolean isLost = entries.lost();
    boolean counts = !isLost || share.keepsRefused();
    if (!counts) {
      out.truncate(begin);
    }
    out.patchInt(lengthAt, counts ? out.position() - begin : -1);
    entries.writeOutcomes(out, isLost);
    out.writeVarint(0);
  }

  private static void count(java.util.Iterator<io.cantle.core.container.Entry> live, Output out) {
    long count = 0;
    for (; live.hasNext(); live.next()) {
      count++;
    }
    out.writeVarint(count);
  }
}
