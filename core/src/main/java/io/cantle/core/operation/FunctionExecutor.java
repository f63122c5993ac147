package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Environment;
import io.cantle.core.base.FunctionChain;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Executes operations that need user code, at the primary. User code may be slow and may call the
 * grid, so it runs on a virtual thread and without a lock. The executor looks the entry up, the
 * code computes a {@link CommandEffect}, and the replica applies the effect if the entry still has
 * the same version; otherwise all of this is repeated. Both steps go through {@link
 * Replica#execute}, which recognizes a repeated command and refuses one of another epoch. An effect
 * is therefore applied at most once, and only in the epoch of this primary.
 *
 * <p>Commands on the same key run one after another, since only one of several at once could win.
 * Plain writes may come between. A command that loses to them again and again is refused; its
 * caller, which has the deadline, retries. Beyond {@value #MAX_COMMANDS} commands callers are
 * refused too. A function that writes its own key would wait for itself or overtake itself. Such a
 * write fails at once ({@link FunctionChain}). Where the chain ends, because a thread of the
 * application writes, a function that overtakes itself fails after its last attempt.
 *
 * <p><b>Threading:</b> any thread; nothing waits except user code.
 */
final class FunctionExecutor {
  /** The most commands that run or wait for their key. */
  static final int MAX_COMMANDS = 4_096;

  /** The most runs of one command that is overtaken by other writes. */
  private static final int MAX_ATTEMPTS = 16;

  /** Why a function fails that was overtaken each time. */
  static final String OVERTAKEN =
      "each time the function ran, another write of its key came between, hundreds of times, and"
          + " nothing was written: a function must not write the key it runs for, on threads of its"
          + " own either; if other callers write the key all the time, have them use compute too,"
          + " since functions on one key wait for each other";

  private final Environment environment;
  private final FunctionEvaluator evaluator;

  /** The evaluator for durable caches. */
  private final FunctionEvaluator durableEvaluator;

  @GuardedBy("this")
  private final Map<GridKey, ArrayDeque<FunctionCall>> byKey = new HashMap<>();

  @GuardedBy("this")
  private int commands;

  /** A key with its grid, since one process may be part of several grids. */
  private record GridKey(UUID grid, int cache, int segment, ByteBuffer key) {
    static GridKey of(UUID grid, int cache, int segment, ByteSlice key) {
      return new GridKey(
          grid, cache, segment, ByteBuffer.wrap(key.bytes(), key.offset(), key.length()));
    }
  }

  /**
   * A command that needs user code.
   *
   * @param cache the name of the cache, which is passed to merge functions
   * @param chain the function that runs for the key, and those from which it is called
   * @param onOvertaken run when other writes have overtaken all runs; returns whether the command
   *     fails, and is not refused
   * @param execution executes the command at the replica with a decision on the live entry
   * @param onOutcome receives the outcome at the replica
   * @param onFailure receives what the user code threw, and the outcome of the lookup. Nothing was
   *     written, but what the code saw may not be returned before it is committed
   * @param onRefusal run when the command is not to be executed here or now
   */
  record FunctionCall(
      String cache,
      ByteSlice key,
      Operation operation,
      FunctionChain chain,
      BooleanSupplier onOvertaken,
      CommandExecution execution,
      Consumer<CommandOutcome> onOutcome,
      BiConsumer<CommandOutcome, Throwable> onFailure,
      Runnable onRefusal) {}

  /** Calls {@link Replica#execute} for one command. */
  interface CommandExecution {
    CommandOutcome execute(CommandDecision decision);
  }

  FunctionExecutor(Environment environment, FunctionEvaluator evaluator) {
    this.environment = environment;
    this.evaluator = evaluator;
    this.durableEvaluator = evaluator.forDurableCaches();
  }

  /** Executes a command, now or when earlier commands on the same key have ended. */
  void submit(UUID grid, Replica replica, FunctionCall call) {
    GridKey gridKey = GridKey.of(grid, replica.cache(), replica.segment(), call.key());
    boolean isFirst = false;
    boolean isFull;
    synchronized (this) {
      isFull = commands >= MAX_COMMANDS;
      if (!isFull) {
        commands++;
        ArrayDeque<FunctionCall> waiting = byKey.putIfAbsent(gridKey, new ArrayDeque<>());
        isFirst = waiting == null;
        if (waiting != null) {
          waiting.add(call);
        }
      }
    }
    if (isFull) {
      call.onRefusal().run();
    } else if (isFirst) {
      runOnThread(gridKey, replica.barrier().isDurable() ? durableEvaluator : evaluator, call);
    }
  }

  private void runOnThread(GridKey gridKey, FunctionEvaluator chosenEvaluator, FunctionCall call) {
    try {
      environment
          .threads()
          .execute(
              () -> {
                try {
                  call.chain().run(() -> runUntilSettled(chosenEvaluator, call));
                } finally {
                  FunctionCall next = endAndPollNext(gridKey);
                  if (next != null) {
                    runOnThread(gridKey, chosenEvaluator, next);
                  }
                }
              });
    } catch (RejectedExecutionException e) {
      // The node is closed and sends no more answers.
      for (FunctionCall dropped = call; dropped != null; ) {
        dropped = endAndPollNext(gridKey);
      }
    }
  }

  /** Returns the next command of a key, after the last one has ended. */
  private synchronized @Nullable FunctionCall endAndPollNext(GridKey gridKey) {
    commands--;
    ArrayDeque<FunctionCall> waiting = byKey.get(gridKey);
    FunctionCall next = waiting == null ? null : waiting.poll();
    if (next == null) {
      byKey.remove(gridKey);
    }
    return next;
  }

  /** Runs the function until no other write comes between. */
  private void runUntilSettled(FunctionEvaluator chosenEvaluator, FunctionCall call) {
    for (int runs = 1; ; runs++) {
      FunctionDecision decision = new FunctionDecision();
      CommandOutcome lookedUp = call.execution().execute(decision);
      if (!decision.isOpen) {
        call.onOutcome().accept(lookedUp);
        return;
      }
      try {
        decision.effect =
            chosenEvaluator.decide(call.cache(), call.operation(), call.key(), decision.found);
      } catch (Exception | Error e) {
        // An error in user code is no failure of this node. It goes to the caller like any
        // exception, and the commands that wait behind it must still run.
        Runnable answer = () -> fail(call, lookedUp, e);
        if (e instanceof OutOfMemoryError error && environment.isHeapFull(error)) {
          environment.reportFullHeap(error, answer);
        } else {
          answer.run();
        }
        return;
      }
      decision.isOpen = false;
      CommandOutcome outcome = call.execution().execute(decision);
      if (!decision.isOpen) {
        call.onOutcome().accept(outcome);
        return;
      }
      if (runs == MAX_ATTEMPTS) {
        if (call.onOvertaken().getAsBoolean()) {
          fail(call, lookedUp, new IllegalStateException(OVERTAKEN));
        } else {
          call.onRefusal().run();
        }
        return;
      }
    }
  }

  /** Ends a command without an effect. If it arrives twice, it must not succeed the second time. */
  private static void fail(FunctionCall call, CommandOutcome lookedUp, Throwable thrown) {
    call.execution().execute(entry -> CommandEffect.none(OperationResult.FAILED));
    call.onFailure().accept(lookedUp, thrown);
  }

  /**
   * Keeps the entry that is there while there is no effect. Then applies the effect, if the entry
   * it was computed from is still there.
   */
  private static final class FunctionDecision implements CommandDecision {
    @Nullable CommandEffect effect;
    @Nullable Entry found;

    /** Whether it was called, and could not decide. */
    boolean isOpen;

    @Override
    public CommandEffect decide(@Nullable Entry entry) {
      CommandEffect computed = effect;
      if (computed == null) {
        found = entry;
      }
      Entry expected = found;
      boolean same =
          expected == null ? entry == null : entry != null && entry.compareVersion(expected) == 0;
      isOpen = computed == null || !same;
      return computed == null || !same ? CommandEffect.undecided() : computed;
    }

    @Override
    public boolean ignoresValue() {
      return effect != null;
    }
  }
}
