package io.cantle.simulation;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A call on a node of a {@link ScriptedStage}, and how it ends.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
// Public for its subpackage; no other module can require test code.
@SuppressWarnings("exports")
public final class PendingCall<T extends @Nullable Object> {
  private final ScriptedStage stage;
  private final StageNode actor;
  private @Nullable T value;
  private @Nullable Throwable failure;
  private boolean done;
  private long endedNanos;

  PendingCall(ScriptedStage stage, StageNode actor) {
    this.stage = stage;
    this.actor = actor;
  }

  void runCall(Callable<T> call) {
    try {
      value = call.call();
      // A call reports to its test whatever it threw, assertions included.
    } catch (Exception | AssertionError e) {
      failure = e;
    }
    endedNanos = stage.nowNanos();
    done = true;
  }

  /** Returns whether the call has ended. */
  public boolean isDone() {
    return done;
  }

  /** Waits for the end of the call; returns what it threw, or null. */
  public @Nullable Throwable failure() {
    stage.await("the end of a call at " + actor, () -> done);
    return failure;
  }

  /** Returns when the call ended. */
  public long endedNanos() {
    stage.await("the end of a call at " + actor, () -> done);
    return endedNanos;
  }

  /** Waits for the end of the call and returns its result; what it threw fails the script. */
  @SuppressWarnings("NullAway") // Null only where the type of the call says so.
  public T value() {
    Throwable thrown = failure();
    if (thrown != null) {
      throw new AssertionError("a call at " + actor + " failed: " + thrown, thrown);
    }
    return value;
  }
}
