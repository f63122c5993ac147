package io.cantle.core.call;

import io.cantle.CallTimeoutException;
import io.cantle.NotAvailableException;
import io.cantle.core.base.Clock;
import io.cantle.core.ownership.Topology;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.MessagingService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tries a call until it has a result. An attempt finds the nodes to ask in the topology, sends the
 * same command to them or what is left of it, and reads their answers. The loop has the times:
 *
 * <ul>
 *   <li>An attempt waits until {@link #answerDeadline} for an answer: longer each time, because a
 *       request that was not lost may be slow. That is short again when an answer shows that
 *       nothing was lost ({@link #onAnswer}), and when another node may be asked.
 *   <li>A pause follows, longer each time, unless a later topology is known or the attempt has
 *       asked to be repeated {@linkplain #skipPause at once}.
 *   <li>The call is given up when this node is cut off, at its deadline, or when its thread is
 *       interrupted. {@linkplain #onProgress Progress} puts the deadline off.
 * </ul>
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class CallLoop {
  /**
   * Ends the text of a call that is out of time and had no effect; it is wrong for one that is made
   * for its effect.
   */
  public static final String RETRY_IS_SAFE = "; trying again is safe";

  private final TopologyDriver topologyDriver;
  private final Clock clock;
  private final CallPace pace;
  private final long timeoutNanos;
  private long deadlineNanos;
  private long answerNanos;
  private long answerPeriod = -1;
  private long pauseNanos;
  private long pausedTopology = -1;
  private long pauseEndNanos;
  private boolean skipsPause;

  /**
   * Creates the loop of a call that begins now.
   *
   * @param timeoutNanos how long it may go on without progress, once there was some
   * @param deadlineNanos when it ends without any
   */
  public CallLoop(
      TopologyDriver topologyDriver,
      Clock clock,
      CallPace pace,
      long timeoutNanos,
      long deadlineNanos) {
    this.topologyDriver = topologyDriver;
    this.clock = clock;
    this.pace = pace;
    this.timeoutNanos = timeoutNanos;
    this.deadlineNanos = deadlineNanos;
    answerNanos = pace.answerNanos();
    pauseNanos = pace.pauseNanos();
  }

  /**
   * Tries until there is a result.
   *
   * @param topologies finds the topology of each attempt until a deadline
   * @param attempt returns the result, or null if there is none yet; an exception ends the call
   * @param description names what was asked in this topology, for the text of an error
   * @throws NotAvailableException if this node is cut off
   * @throws CallTimeoutException if there is no result at the deadline
   */
  public <T> T run(
      LongFunction<Topology> topologies,
      Function<Topology, @Nullable T> attempt,
      Function<Topology, String> description) {
    while (true) {
      Topology topology = topologies.apply(deadlineNanos);
      checkNotCutOff();
      T result = attempt.apply(topology);
      if (result != null) {
        return result;
      }
      checkNotGivenUp(() -> description.apply(topology));
      if (!skipsPause) {
        beginPause(topology.number());
      }
      skipsPause = false;
      for (long left; (left = Math.min(pauseLeftNanos(), timeLeftNanos())) > 0; ) {
        clock.parkNanos(this, left);
        checkNotInterrupted(() -> description.apply(topology));
      }
    }
  }

  /**
   * Throws if there is a reason not to try again.
   *
   * @param description names what is not answered
   */
  public void checkNotGivenUp(Supplier<String> description) {
    checkNotCutOff();
    if (timeLeftNanos() <= 0) {
      throw new CallTimeoutException(
          "no answer within "
              + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
              + " ms to "
              + description.get());
    }
    checkNotInterrupted(description);
  }

  private static void checkNotInterrupted(Supplier<String> description) {
    MessagingService.checkInterrupted(() -> "an answer to " + description.get());
  }

  /** Throws if this node is cut off. */
  public void checkNotCutOff() {
    if (topologyDriver.isCutOff()) {
      String trouble = topologyDriver.problemText();
      throw new NotAvailableException(
          "this node is cut off from the majority of its grid, which may continue without it; it"
              + " answers again once it reaches the majority"
              + (trouble.isEmpty() ? ": check the network and the other nodes" : ". " + trouble));
    }
  }

  /**
   * Repeats a request to the voters until its effect shows. No node answers such a request, so this
   * looks at short intervals. What to throw without an effect is left to the caller.
   *
   * @param effect returns what has become of the request, or null as long as that is nothing
   * @param request sends the request
   * @return null if there was no effect by the deadline, or before the thread was interrupted
   */
  public static <T> @Nullable T awaitEffect(
      Clock clock, long deadlineNanos, Supplier<@Nullable T> effect, Runnable request) {
    long repeatNanos = clock.nanoTime();
    while (true) {
      long now = clock.nanoTime();
      T shown = effect.get();
      if (shown != null || deadlineNanos - now <= 0 || Thread.currentThread().isInterrupted()) {
        return shown;
      }
      if (now - repeatNanos >= 0) {
        repeatNanos = now + CallPace.VOTER.answerNanos();
        request.run();
      } else {
        clock.parkNanos(effect, Math.min(deadlineNanos - now, CallPace.VOTER.pauseNanos()));
      }
    }
  }

  /** The time at which the call is given up. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** Returns the time until the call is given up; not positive when it is over. */
  public long timeLeftNanos() {
    return deadlineNanos - clock.nanoTime();
  }

  /**
   * Returns the time until which an attempt that begins now waits for an answer.
   *
   * @param period while it is the same, the same nodes are asked: the epoch of the only segment, or
   *     the number of the topology
   */
  public long answerDeadline(long period) {
    if (period != answerPeriod) {
      answerPeriod = period;
      answerNanos = pace.answerNanos();
    }
    long until = clock.nanoTime() + answerNanos;
    answerNanos = Math.min(answerNanos * 2, pace.maxAnswerNanos());
    return until - deadlineNanos < 0 ? until : deadlineNanos;
  }

  /** Notes an answer, which shows that no message was lost. */
  public void onAnswer() {
    answerNanos = pace.answerNanos();
  }

  /** Has the timeout begin anew. */
  public void restartTimeout() {
    deadlineNanos = clock.nanoTime() + timeoutNanos;
  }

  /** Notes that the call has made progress: its timeout begins anew, and no pause follows. */
  public void onProgress() {
    restartTimeout();
    pauseNanos = pace.pauseNanos();
    skipsPause = true;
  }

  /** Has the next attempt follow without a pause. */
  public void skipPause() {
    skipsPause = true;
  }

  /**
   * Begins a pause, because of an answer to what was asked in this topology; the next is longer.
   */
  public void beginPause(long topologyNumber) {
    pausedTopology = topologyNumber;
    pauseEndNanos = clock.nanoTime() + pauseNanos;
    pauseNanos = CallPace.longerPauseNanos(pauseNanos);
  }

  /** Returns how long the pause still lasts; not positive when it is over. */
  public long pauseLeftNanos() {
    return topologyDriver.current().number() > pausedTopology
        ? 0
        : pauseEndNanos - clock.nanoTime();
  }
}
