package io.cantle.core.transport;

import io.cantle.core.base.Input;
import io.cantle.core.base.Signal;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for its response, for a thread that has several of them under way. It need
 * not be closed. It unregisters itself when the response arrives, when the other member is gone, or
 * when it has not been sent again for a long time. In the last case the request or its response was
 * lost, and no thread has looked since.
 *
 * <p><b>Threading:</b> any thread delivers the response; one thread reads it.
 */
public final class PendingRequest implements ResponseHandler {
  private final MessagingService messaging;
  private final Member member;
  private final Consumer<Input> onArrival;
  private final Signal signal;
  private final long number;
  private final long startedAtNanos;
  private volatile long sentAtNanos;
  private volatile @Nullable Input answer;
  private volatile boolean abandoned;
  private final AtomicBoolean recheckScheduled = new AtomicBoolean();

  PendingRequest(
      MessagingService messaging,
      long number,
      Member member,
      Consumer<Input> onArrival,
      Signal signal) {
    this.messaging = messaging;
    this.number = number;
    this.member = member;
    this.onArrival = onArrival;
    this.signal = signal;
    this.startedAtNanos = messaging.clock().nanoTime();
    this.sentAtNanos = startedAtNanos;
  }

  /** The member that received the request. */
  public Member member() {
    return member;
  }

  /** The number of the request, by which it can be cancelled. */
  public long number() {
    return number;
  }

  /** Whether the response has arrived or never will. */
  public boolean isDone() {
    return answer != null || abandoned;
  }

  /** The response, or null if there is none. */
  public @Nullable Input answer() {
    return answer;
  }

  /** Gives up the request. */
  public void cancel() {
    messaging.unregister(number);
  }

  /** Records that the request was sent, for the first time or again. */
  void markSent() {
    sentAtNanos = messaging.clock().nanoTime();
  }

  /** Ends the request if it was sent so long ago that no caller can be waiting for it. */
  void expireIfAbandoned(long now) {
    if (now - sentAtNanos >= MessagingService.ABANDONED_AFTER_NANOS) {
      abandon();
    }
  }

  @Override
  public void onResponse(Member from, Input body) {
    if (from.equals(member) && messaging.unregister(number)) {
      try {
        onArrival.accept(body);
        answer = body;
      } finally {
        // A response that cannot be read is none, and will not come again.
        abandoned = answer == null;
        signal.raise();
      }
    }
  }

  @Override
  public void wake() {
    if (isDone() || messaging.isPresent(member)) {
      return;
    }
    long left = startedAtNanos + MessagingService.GONE_GRACE_NANOS - messaging.clock().nanoTime();
    if (left <= 0) {
      abandon();
    } else if (recheckScheduled.compareAndSet(false, true)) {
      messaging
          .clock()
          .schedule(
              left,
              () -> {
                recheckScheduled.set(false);
                wake();
              });
    }
  }

  /**
   * Ends the request without a response, unless it has ended. However it ends, the signal is raised
   * once, since a waiting thread may count several.
   */
  private void abandon() {
    if (messaging.unregister(number)) {
      abandoned = true;
      signal.raise();
    }
  }
}
