package io.cantle.core.transport;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that the thread which created it waits for.
 *
 * <p><b>Threading:</b> any thread delivers the response; the thread that created it waits.
 */
final class BlockingCall<T> implements ResponseHandler {
  private final MessagingService messaging;
  private final Member member;
  private final Function<Input, T> decoder;
  private final Thread thread = Thread.currentThread();
  private final long startNanos;
  private volatile @Nullable T answer;

  BlockingCall(MessagingService messaging, Member member, Function<Input, T> decoder) {
    this.messaging = messaging;
    this.member = member;
    this.decoder = decoder;
    this.startNanos = messaging.clock().nanoTime();
  }

  /** Waits as {@link MessagingService#call} says. */
  @Nullable T await(long deadlineNanos, BooleanSupplier isPointless) {
    Clock clock = messaging.clock();
    while (answer == null) {
      long now = clock.nanoTime();
      long left = deadlineNanos - now;
      if (!messaging.isPresent(member)) {
        left = Math.min(left, startNanos + MessagingService.GONE_GRACE_NANOS - now);
      }
      if (left <= 0 || isPointless.getAsBoolean()) {
        break;
      }
      MessagingService.checkInterrupted(() -> "an answer of " + member);
      clock.parkNanos(this, left);
    }
    return answer;
  }

  @Override
  public void onResponse(Member from, Input body) {
    if (from.equals(member)) {
      answer = decoder.apply(body);
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void wake() {
    LockSupport.unpark(thread);
  }
}
