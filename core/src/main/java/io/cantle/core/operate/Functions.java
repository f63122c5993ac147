package io.cantle.core.operate;

import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Decision;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Outcome;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Result;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out, at the primary, what takes code of the user's. That may take its time and call the
 * grid, so it runs on a virtual thread and under no lock: the entry is looked up, the code makes an
 * {@link Effect} of it, and the replica takes the effect if the entry is still the same version,
 * else all of it happens again. Both steps go through {@link Replica#execute}, which knows a
 * command it has seen and refuses one of another epoch; so an effect is had at most once, and only
 * where the epoch is led.
 *
 * <p>Commands on the same key go one after another, for only one of several at once could win. What
 * comes between is a plain write; who loses to those again and again is refused, and its caller,
 * who has the deadline, tries again. Beyond {@value #MAX_COMMANDS} commands callers are refused as
 * well. A function that writes its own key would wait for itself, or be overtaken by itself: a
 * write from the thread it runs on is an error at once, one by way of others ends with its timeout.
 *
 * <p><b>Threading:</b> any thread; nothing waits but what the user wrote.
 */
final class Functions {
  /** How many commands run or wait for their key. */
  static final int MAX_COMMANDS = 4_096;

  /** How often a command runs again because somebody wrote meanwhile. */
  private static final int MAX_RUNS = 16;

  /** What the function that runs on this thread is for. */
  private static final ScopedValue<Place> RUNNING = ScopedValue.newInstance();

  private final Executor threads;
  private final UserCode code;

  /** The same for caches that are kept on disk. */
  private final UserCode lasting;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Place, ArrayDeque<Work>> byKey = new HashMap<>();
  private int commands;

  /** A key, and the grid it belongs to, of which one process may have several. */
  private record Place(UUID grid, int cache, int segment, ByteBuffer key) {
    static Place of(UUID grid, int cache, int segment, Slice key) {
      return new Place(
          grid, cache, segment, ByteBuffer.wrap(key.bytes(), key.offset(), key.length()));
    }
  }

  /**
   * A command that takes code of the user's.
   *
   * @param cache the name of the cache, which functions that merge are told
   * @param execute has the replica carry the command out with what is decided on the live entry
   * @param then told how it ended at the replica
   * @param failed told what the code threw, and on what it was looking: nothing was written, but
   *     what it saw may not be told before it is committed
   * @param refuse run when it is not to be done here or now
   */
  record Work(
      String cache,
      Slice key,
      Operation operation,
      Execute execute,
      Consumer<Outcome> then,
      BiConsumer<Outcome, Throwable> failed,
      Runnable refuse) {}

  /** {@link Replica#execute} for one command. */
  interface Execute {
    Outcome execute(Decision decision);
  }

  Functions(Executor threads, UserCode code) {
    this.threads = threads;
    this.code = code;
    this.lasting = code.lasting();
  }

  /** An error if the calling thread runs a function for this very key. */
  static void checkNotWithin(UUID grid, int cache, int segment, Slice key) {
    if (RUNNING.isBound() && RUNNING.get().equals(Place.of(grid, cache, segment, key))) {
      throw new IllegalStateException(
          "a function writes the key it runs for: it may write others, and its own by what it"
              + " returns");
    }
  }

  /** Carries a command out, now or when those before it on the same key have ended. */
  void start(UUID grid, Replica replica, Work work) {
    Place place = Place.of(grid, replica.cache(), replica.segment(), work.key());
    boolean isFirst = false;
    boolean isFull;
    lock.lock();
    try {
      isFull = commands >= MAX_COMMANDS;
      if (!isFull) {
        commands++;
        ArrayDeque<Work> waiting = byKey.get(place);
        isFirst = waiting == null;
        if (waiting == null) {
          byKey.put(place, new ArrayDeque<>());
        } else {
          waiting.add(work);
        }
      }
    } finally {
      lock.unlock();
    }
    if (isFull) {
      work.refuse().run();
    } else if (isFirst) {
      run(place, replica.isKept() ? lasting : code, work);
    }
  }

  private void run(Place place, UserCode its, Work work) {
    try {
      threads.execute(
          () -> {
            try {
              ScopedValue.where(RUNNING, place).run(() -> run(its, work));
            } finally {
              Work next = ended(place);
              if (next != null) {
                run(place, its, next);
              }
            }
          });
    } catch (RejectedExecutionException e) {
      // The node is closed, and answers nobody any more.
      for (Work given = work; given != null; ) {
        given = ended(place);
      }
    }
  }

  /** The next command of a key, whose last one has ended. */
  private @Nullable Work ended(Place place) {
    lock.lock();
    try {
      commands--;
      ArrayDeque<Work> waiting = byKey.get(place);
      Work next = waiting == null ? null : waiting.poll();
      if (next == null) {
        byKey.remove(place);
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** Runs it until nobody comes between. */
  private static void run(UserCode its, Work work) {
    for (int runs = 0; runs < MAX_RUNS; runs++) {
      Look look = new Look();
      Outcome looked = work.execute().execute(look);
      if (!look.looked) {
        work.then().accept(looked);
        return;
      }
      Effect effect;
      try {
        effect = its.decide(work.cache(), work.operation(), work.key(), look.found);
      } catch (Exception | Error e) {
        // An error of the user's code is no failure of this node: it belongs to the caller, like
        // any exception, and those that wait behind have to be served.
        // Should the command come twice, it must not succeed the second time.
        work.execute().execute(entry -> Effect.none(Result.FAILED));
        work.failed().accept(looked, e);
        return;
      }
      Settle settle = new Settle(look.found, effect);
      Outcome outcome = work.execute().execute(settle);
      if (!settle.overtaken) {
        work.then().accept(outcome);
        return;
      }
    }
    work.refuse().run();
  }

  /** Decides nothing and keeps what is there. */
  private static final class Look implements Decision {
    boolean looked;
    @Nullable Entry found;

    @Override
    public Effect on(@Nullable Entry entry) {
      looked = true;
      found = entry;
      return Effect.undecided();
    }
  }

  /** Takes the effect if what it was made of is still there. */
  private static final class Settle implements Decision {
    private final @Nullable Entry seen;
    private final Effect effect;
    boolean overtaken;

    Settle(@Nullable Entry seen, Effect effect) {
      this.seen = seen;
      this.effect = effect;
    }

    @Override
    public Effect on(@Nullable Entry entry) {
      boolean same =
          seen == null
              ? entry == null
              : entry != null && entry.compareVersion(seen.epoch(), seen.index()) == 0;
      overtaken = !same;
      return same ? effect : Effect.undecided();
    }

    @Override
    public boolean ignoresValue() {
      return true;
    }
  }
}
