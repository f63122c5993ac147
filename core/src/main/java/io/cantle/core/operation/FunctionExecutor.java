package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandDecision;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
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
 * {@link CommandEffect} of it, and the replica takes the effect if the entry is still the same
 * version, else all of it happens again. Both steps go through {@link Replica#execute}, which knows
 * a command it has seen and refuses one of another epoch; so an effect is had at most once, and
 * only where the epoch is led.
 *
 * <p>Commands on the same key go one after another, for only one of several at once could win. What
 * comes between is a plain write; who loses to those again and again is refused, and its caller,
 * who has the deadline, tries again. Beyond {@value #MAX_COMMANDS} commands callers are refused as
 * well. A function that writes its own key would wait for itself, or be overtaken by itself: a
 * write from the thread it runs on is an error at once, one by way of others ends with its timeout.
 *
 * <p><b>Threading:</b> any thread; nothing waits but what the user wrote.
 */
final class FunctionExecutor {
  /** How many commands run or wait for their key. */
  static final int MAX_COMMANDS = 4_096;

  /** How often a command runs again because somebody wrote meanwhile. */
  private static final int MAX_ATTEMPTS = 16;

  /** What the function that runs on this thread is for. */
  private static final ScopedValue<GridKey> RUNNING_FOR = ScopedValue.newInstance();

  private final Executor threads;
  private final FunctionEvaluator evaluator;

  /** The same for caches that are kept on disk. */
  private final FunctionEvaluator durableEvaluator;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<GridKey, ArrayDeque<FunctionCall>> byKey = new HashMap<>();
  private int commands;

  /** A key, and the grid it belongs to, of which one process may have several. */
  private record GridKey(UUID grid, int cache, int segment, ByteBuffer key) {
    static GridKey of(UUID grid, int cache, int segment, ByteSlice key) {
      return new GridKey(
          grid, cache, segment, ByteBuffer.wrap(key.bytes(), key.offset(), key.length()));
    }
  }

  /**
   * A command that takes code of the user's.
   *
   * @param cache the name of the cache, which functions that merge are told
   * @param execution has the replica carry the command out with what is decided on the live entry
   * @param onOutcome told how it ended at the replica
   * @param onFailure told what the code threw, and on what it was looking: nothing was written, but
   *     what it saw may not be told before it is committed
   * @param onRefusal run when it is not to be done here or now
   */
  record FunctionCall(
      String cache,
      ByteSlice key,
      Operation operation,
      CommandExecution execution,
      Consumer<CommandOutcome> onOutcome,
      BiConsumer<CommandOutcome, Throwable> onFailure,
      Runnable onRefusal) {}

  /** {@link Replica#execute} for one command. */
  interface CommandExecution {
    CommandOutcome execute(CommandDecision decision);
  }

  FunctionExecutor(Executor threads, FunctionEvaluator evaluator) {
    this.threads = threads;
    this.evaluator = evaluator;
    this.durableEvaluator = evaluator.forDurableCaches();
  }

  /** An error if the calling thread runs a function for this very key. */
  static void checkNotReentrant(UUID grid, int cache, int segment, ByteSlice key) {
    if (RUNNING_FOR.isBound() && RUNNING_FOR.get().equals(GridKey.of(grid, cache, segment, key))) {
      throw new IllegalStateException(
          "a function writes the key it runs for: it may write others, and its own by what it"
              + " returns");
    }
  }

  /** Carries a command out, now or when those before it on the same key have ended. */
  void submit(UUID grid, Replica replica, FunctionCall call) {
    GridKey place = GridKey.of(grid, replica.cache(), replica.segment(), call.key());
    boolean isFirst = false;
    boolean isFull;
    lock.lock();
    try {
      isFull = commands >= MAX_COMMANDS;
      if (!isFull) {
        commands++;
        ArrayDeque<FunctionCall> waiting = byKey.get(place);
        isFirst = waiting == null;
        if (waiting == null) {
          byKey.put(place, new ArrayDeque<>());
        } else {
          waiting.add(call);
        }
      }
    } finally {
      lock.unlock();
    }
    if (isFull) {
      call.onRefusal().run();
    } else if (isFirst) {
      runOnThread(place, replica.isDurable() ? durableEvaluator : evaluator, call);
    }
  }

  private void runOnThread(GridKey place, FunctionEvaluator chosenEvaluator, FunctionCall call) {
    try {
      threads.execute(
          () -> {
            try {
              ScopedValue.where(RUNNING_FOR, place)
                  .run(() -> runUntilSettled(chosenEvaluator, call));
            } finally {
              FunctionCall next = endAndPollNext(place);
              if (next != null) {
                runOnThread(place, chosenEvaluator, next);
              }
            }
          });
    } catch (RejectedExecutionException e) {
      // The node is closed, and answers nobody any more.
      for (FunctionCall dropped = call; dropped != null; ) {
        dropped = endAndPollNext(place);
      }
    }
  }

  /** The next command of a key, whose last one has ended. */
  private @Nullable FunctionCall endAndPollNext(GridKey place) {
    lock.lock();
    try {
      commands--;
      ArrayDeque<FunctionCall> waiting = byKey.get(place);
      FunctionCall next = waiting == null ? null : waiting.poll();
      if (next == null) {
        byKey.remove(place);
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** Runs it until nobody comes between. */
  private static void runUntilSettled(FunctionEvaluator chosenEvaluator, FunctionCall call) {
    for (int runs = 0; runs < MAX_ATTEMPTS; runs++) {
      LookupDecision lookup = new LookupDecision();
      CommandOutcome lookedUp = call.execution().execute(lookup);
      if (!lookup.wasAsked) {
        call.onOutcome().accept(lookedUp);
        return;
      }
      CommandEffect effect;
      try {
        effect = chosenEvaluator.decide(call.cache(), call.operation(), call.key(), lookup.found);
      } catch (Exception | Error e) {
        // An error of the user's code is no failure of this node: it belongs to the caller, like
        // any exception, and those that wait behind have to be served.
        // Should the command come twice, it must not succeed the second time.
        call.execution().execute(entry -> CommandEffect.none(OperationResult.FAILED));
        call.onFailure().accept(lookedUp, e);
        return;
      }
      ConditionalDecision conditional = new ConditionalDecision(lookup.found, effect);
      CommandOutcome outcome = call.execution().execute(conditional);
      if (!conditional.overtaken) {
        call.onOutcome().accept(outcome);
        return;
      }
    }
    call.onRefusal().run();
  }

  /** Decides nothing and keeps what is there. */
  private static final class LookupDecision implements CommandDecision {
    boolean wasAsked;
    @Nullable Entry found;

    @Override
    public CommandEffect decide(@Nullable Entry entry) {
      wasAsked = true;
      found = entry;
      return CommandEffect.undecided();
    }
  }

  /** Takes the effect if what it was made of is still there. */
  private static final class ConditionalDecision implements CommandDecision {
    private final @Nullable Entry expected;
    private final CommandEffect effect;
    boolean overtaken;

    ConditionalDecision(@Nullable Entry expected, CommandEffect effect) {
      this.expected = expected;
      this.effect = effect;
    }

    @Override
    public CommandEffect decide(@Nullable Entry entry) {
      boolean same =
          expected == null
              ? entry == null
              : entry != null && entry.compareVersion(expected.epoch(), expected.index()) == 0;
      overtaken = !same;
      return same ? effect : CommandEffect.undecided();
    }

    @Override
    public boolean ignoresValue() {
      return true;
    }
  }
}
