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
public final class Ask implements Waiting {
  private final Requests requests;
  private final Member to;
  private final Consumer<Input> arrived;
  private final Signal signal;
  private final long number;
  private final long askedAt;
  private volatile long sentAt;
  private volatile @Nullable Input answer;
  private volatile boolean gone;
  private final AtomicBoolean came = new AtomicBoolean();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicBoolean looking = new AtomicBoolean();

  Ask(Requests requests, long number, Member to, Consumer<Input> arrived, Signal signal) {
    this.requests = requests;
    this.number = number;
    this.to = to;
    this.arrived = arrived;
    this.signal = signal;
    this.askedAt = requests.clock().nanoTime();
    this.sentAt = askedAt;
  }

  /** Who was asked. */
  public Member to() {
    return to;
  }

  /** The number of the request, by which it can be called off. */
  public long number() {
    return number;
  }

  /** Whether there is an answer, or never will be. */
  public boolean done() {
    return answer != null || gone;
  }

  /** The answer, or null if there is none. */
  public @Nullable Input answer() {
    return answer;
  }

  /** Gives it up. */
  public void forget() {
    requests.forget(number);
  }

  /** It is on its way, perhaps once more. */
  void sent() {
    sentAt = requests.clock().nanoTime();
  }

  /** Ends it if it was sent so long ago that it cannot be missed by anybody. */
  void endIfUnmissed(long now) {
    if (!done() && now - sentAt >= Requests.UNMISSED_NANOS) {
      gone = true;
      end();
    }
  }

  @Override
  public void answered(Member from, Input body) {
    if (from.equals(to) && came.compareAndSet(false, true)) {
      arrived.accept(body);
      answer = body;
      end();
    }
  }

  @Override
  public void wake() {
    if (done() || requests.present(to)) {
      return;
    }
    long left = askedAt + Requests.GONE_NANOS - requests.clock().nanoTime();
    if (left <= 0) {
      gone = true;
      end();
    } else if (looking.compareAndSet(false, true)) {
      requests
          .clock()
          .schedule(
              left,
              () -> {
                looking.set(false);
                wake();
              });
    }
  }

  /** Raises the signal once, however it ends: whoever waits for several asks counts them. */
  private void end() {
    if (ended.compareAndSet(false, true)) {
      forget();
      signal.raise();
    }
  }
}
