package io.cantle.core.publish;

import io.cantle.core.base.Signal;
import io.cantle.core.base.World;
import io.cantle.core.transport.Member;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Where functions of streams run: on the few workers of the world, a turn at a time, each stream in
 * turn with the others however much it asks for. The more wait, the shorter a turn is, so that
 * whoever asks for something gets an answer before it loses patience. What waits is bounded by what
 * {@link Running} lets in.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Turns {
  /** A turn is at least such a part of a whole one. */
  private static final int SHORTEST = 64;

  private static final long LOOK_AGAIN = TimeUnit.SECONDS.toNanos(1);

  /** What somebody has asked for under one number, in one request or several. */
  record Stream(Member asker, long scan) {}

  private final World world;

  /** By stream, the one whose turn it is first; guarded by itself. */
  private final LinkedHashMap<Stream, ArrayDeque<Runnable>> waiting = new LinkedHashMap<>();

  private final AtomicInteger size = new AtomicInteger();

  Turns(World world) {
    this.world = world;
  }

  /** How long a turn that begins now may last. */
  long nanos() {
    long others = size.get() / world.processors();
    return Math.max(Turn.NANOS / SHORTEST, Turn.NANOS / (1 + others));
  }

  /**
   * Runs some things side by side, and waits for all of them.
   *
   * @param apart whether they wait themselves, as a rule, and so are nothing for workers
   */
  void run(Stream stream, boolean apart, List<? extends Runnable> things)
      throws InterruptedException {
    Signal signal = new Signal();
    List<Thing> all = things.stream().map(thing -> new Thing(thing, signal)).toList();
    for (Thing thing : all) {
      if (apart) {
        world.threads().execute(thing);
      } else {
        add(stream, thing);
      }
    }
    for (Thing thing : all) {
      while (!thing.ended) {
        signal.await(world.clock(), LOOK_AGAIN);
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while a function runs");
        }
      }
    }
    all.forEach(Thing::rethrow);
  }

  private void add(Stream stream, Runnable turn) {
    synchronized (waiting) {
      waiting.computeIfAbsent(stream, first -> new ArrayDeque<>()).add(turn);
    }
    size.incrementAndGet();
    // As many as there are turns; which one each takes is seen when a worker is free.
    world.workers().execute(this::next);
  }

  private void next() {
    Runnable turn;
    synchronized (waiting) {
      Map.Entry<Stream, ArrayDeque<Runnable>> first = waiting.pollFirstEntry();
      turn = first.getValue().remove();
      if (!first.getValue().isEmpty()) {
        waiting.putLast(first.getKey(), first.getValue());
      }
    }
    size.decrementAndGet();
    turn.run();
  }

  private static final class Thing implements Runnable {
    private final Runnable thing;
    private final Signal signal;
    private volatile boolean ended;
    private @Nullable Throwable thrown;

    Thing(Runnable thing, Signal signal) {
      this.thing = thing;
      this.signal = signal;
    }

    @Override
    public void run() {
      try {
        thing.run();
      } catch (Exception | Error e) {
        // Thrown by a user's function, as a rule: it is told by whoever waits.
        thrown = e;
      } finally {
        ended = true;
        signal.raise();
      }
    }

    void rethrow() {
      switch (thrown) {
        case null -> {}
        case Error error -> throw error;
        case RuntimeException exception -> throw exception;
        case Throwable other -> throw new IllegalStateException(other);
      }
    }
  }
}
