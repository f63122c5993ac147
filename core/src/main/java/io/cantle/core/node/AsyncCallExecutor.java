package io.cantle.core.node;

import io.cantle.GridException;
import io.cantle.core.base.FunctionChain;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs asynchronous variants of calls: the same call on a virtual thread of its own, at most
 * {@value #MAX_RUNNING} at a time.
 *
 * <p><b>Threading:</b> any thread.
 */
final class AsyncCallExecutor {
  private static final int MAX_RUNNING = 16_384;

  private final Executor threads;
  private final NodeErrorMessages errorMessages;
  private final AtomicInteger running = new AtomicInteger();

  AsyncCallExecutor(Executor threads, NodeErrorMessages errorMessages) {
    this.threads = threads;
    this.errorMessages = errorMessages;
  }

  <T extends @Nullable Object> CompletionStage<T> run(Supplier<T> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    if (running.incrementAndGet() > MAX_RUNNING) {
      running.decrementAndGet();
      result.completeExceptionally(
          new GridException(
              "more than %s asynchronous calls are running; wait for some of them"
                  .formatted(MAX_RUNNING)));
      return result;
    }
    try {
      threads.execute(FunctionChain.carryTo(() -> run(call, result)));
    } catch (RejectedExecutionException e) {
      running.decrementAndGet();
      result.completeExceptionally(new IllegalStateException(errorMessages.closed()));
    } catch (Error e) {
      // No thread was started, so it does not run.
      running.decrementAndGet();
      throw e;
    }
    return result.minimalCompletionStage();
  }

  private <T extends @Nullable Object> void run(Supplier<T> call, CompletableFuture<T> result) {
    try {
      result.complete(call.get());
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    } catch (Error e) {
      result.completeExceptionally(e);
      throw e;
    } finally {
      running.decrementAndGet();
    }
  }
}
