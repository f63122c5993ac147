package io.cantle.simulation;

import io.cantle.core.base.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Something that happens at a moment of virtual time, unless it is called off or its host has died.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class Event implements Clock.Timer, Comparable<Event> {
  private final long timeNanos;
  private final long sequence;
  private final @Nullable Host host;
  private final Runnable action;
  private boolean cancelled;

  Event(long timeNanos, long sequence, @Nullable Host host, Runnable action) {
    this.timeNanos = timeNanos;
    this.sequence = sequence;
    this.host = host;
    this.action = action;
  }

  long timeNanos() {
    return timeNanos;
  }

  boolean live() {
    return !cancelled && (host == null || host.alive());
  }

  void fire() {
    action.run();
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  /** By time; what was scheduled first comes first at the same time. */
  @Override
  public int compareTo(Event other) {
    int byTime = Long.compare(timeNanos, other.timeNanos);
    return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(sequence);
  }
}
