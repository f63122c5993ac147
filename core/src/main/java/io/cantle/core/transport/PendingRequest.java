package io.cantle.core.transport;

import io.cantle.core.base.Input;
import io.cantle.core.base.Signal;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request under way, for a thread that has several of them. One that is forgotten costs nothing:
 * it forgets itself when the answer comes, the other side is gone, or it was not sent again for
 * long: then it, or its answer, was lost, and nobody has looked.
 *
 * <p><b>Threading:</b> any thread answers; one thread looks.
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
  private final AtomicBoolean answerTaken = new AtomicBoolean();
  private final AtomicBoolean completed = new AtomicBoolean();
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

  /** Who was asked. */
  public Member member() {
    return member;
  }

  /** The number of the request, by which it can be called off. */
  public long number() {
    return number;
  }

  /** Whether there is an answer, or never will be. */
  public boolean isDone() {
    return answer != null || abandoned;
  }

  /** The answer, or null if there is none. */
  public @Nullable Input answer() {
    return answer;
  }

  /** Gives it up. */
  public void cancel() {
    messaging.unregister(number);
  }

  /** It is on its way, perhaps once more. */
  void markSent() {
    sentAtNanos = messaging.clock().nanoTime();
  }

  /** Ends it if it was sent so long ago that it cannot be missed by anybody. */
  void expireIfAbandoned(long now) {
    if (!isDone() && now - sentAtNanos >= MessagingService.ABANDONED_AFTER_NANOS) {
      abandoned = true;
      complete();
    }
  }

  @Override
  public void onResponse(Member from, Input body) {
    if (from.equals(member) && answerTaken.compareAndSet(false, true)) {
      onArrival.accept(body);
      answer = body;
      complete();
    }
  }

  @Override
  public void wake() {
    if (isDone() || messaging.isPresent(member)) {
      return;
    }
    long left = startedAtNanos + MessagingService.GONE_GRACE_NANOS - messaging.clock().nanoTime();
    if (left <= 0) {
      abandoned = true;
      complete();
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

  /** Raises the signal once, however it ends: whoever waits for several asks counts them. */
  private void complete() {
    if (completed.compareAndSet(false, true)) {
      cancel();
      signal.raise();
    }
  }
}
