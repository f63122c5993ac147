package io.cantle.simulation;

import io.cantle.core.base.Clock;
import org.jspecify.annotations.Nullable;

/**
 * An event that happens at a moment of virtual time, unless it is cancelled or its host has died.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class ScheduledEvent implements Clock.Timer {
  private final EventQueue queue;
  private final long timeNanos;
  private final long sequence;
  private final @Nullable SimulatedHost host;
  private final Runnable action;
  private boolean cancelled;
  private boolean fired;

  ScheduledEvent(
      EventQueue queue,
      long timeNanos,
      long sequence,
      @Nullable SimulatedHost host,
      Runnable action) {
    this.queue = queue;
    this.timeNanos = timeNanos;
    this.sequence = sequence;
    this.host = host;
    this.action = action;
  }

  long timeNanos() {
    return timeNanos;
  }

  /** Returns its position in the order in which events were scheduled. */
  long sequence() {
    return sequence;
  }

  boolean cancelled() {
    return cancelled;
  }

  boolean isLive() {
    return !cancelled && (host == null || host.isAlive());
  }

  void fire() {
    fired = true;
    action.run();
  }

  @Override
  public void cancel() {
    if (!cancelled && !fired) {
      cancelled = true;
      queue.onCancelled();
    }
  }
}
