package io.cantle.core.publish;

import io.cantle.CallTimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.transport.MessagingService;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The subscription of one subscriber to a feed. A thread pulls and signals while there is demand,
 * and only then. There is one such thread at a time, so signals come one after another. A
 * subscriber without demand costs no thread.
 *
 * <p>Calls from outside only record what is wanted and increment {@link #pendingWork}. The call
 * that increments it from zero starts the thread, which goes on until nothing more was added.
 *
 * <p><b>Threading:</b> any thread calls; the feed and the subscriber are used by the working thread
 * only.
 */
final class FeedSubscription<T> implements Flow.Subscription {
  private static final System.Logger LOG = System.getLogger(FeedSubscription.class.getName());
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final SubscriptionExecutor executor;
  private final Supplier<? extends ElementFeed<T>> feeds;
  private final AtomicLong demand = new AtomicLong();
  private final AtomicInteger pendingWork = new AtomicInteger();
  private volatile Flow.@Nullable Subscriber<? super T> subscriber;
  private volatile @Nullable ElementFeed<T> feed;
  private volatile @Nullable Throwable failure;
  private volatile boolean cancelled;
  private volatile boolean closed;
  private volatile @Nullable Thread workerThread;

  /**
   * Creates a subscription that has not started.
   *
   * @param feeds opens the feed when elements are first requested
   */
  FeedSubscription(
      SubscriptionExecutor executor,
      Supplier<? extends ElementFeed<T>> feeds,
      Flow.Subscriber<? super T> subscriber) {
    this.executor = executor;
    this.feeds = feeds;
    this.subscriber = Objects.requireNonNull(subscriber, "subscriber");
  }

  /** Calls {@code onSubscribe}; other signals follow only after it has returned. */
  void begin() {
    Flow.Subscriber<? super T> target = subscriber;
    pendingWork.incrementAndGet();
    if (target != null) {
      try {
        target.onSubscribe(this);
      } catch (RuntimeException e) {
        cancelAfterThrow("onSubscribe", e);
      }
    }
    if (failure != null || cancelled || !pendingWork.compareAndSet(1, 0)) {
      startWorker();
    }
  }

  /** Has it signal nothing but a failure, once it begins. */
  void refuse(RuntimeException cause) {
    failure = cause;
  }

  @Override
  public void request(long additional) {
    if (additional <= 0) {
      failure =
          new IllegalArgumentException(
              "request(%s): the number must be positive, see Reactive Streams rule 3.9"
                  .formatted(additional));
    } else {
      demand.accumulateAndGet(additional, (old, n) -> old + n < 0 ? Long.MAX_VALUE : old + n);
    }
    scheduleWork();
  }

  @Override
  public void cancel() {
    if (!cancelled) {
      cancelled = true;
      ElementFeed<T> stopped = feed;
      if (stopped != null) {
        stopped.stop();
      }
      scheduleWork();
    }
  }

  private void scheduleWork() {
    if (!closed && pendingWork.getAndIncrement() == 0) {
      startWorker();
    }
  }

  private void startWorker() {
    try {
      // A function that waits for elements waits for what the owners do to make them.
      executor.threads().execute(FunctionChain.carryTo(this::work));
    } catch (RejectedExecutionException e) {
      failure = new IllegalStateException(executor.closedText());
      work();
    }
  }

  private void work() {
    int processed = pendingWork.get();
    do {
      workerThread = Thread.currentThread();
      try {
        deliverAll();
      } finally {
        // Cleared before another thread can start to work, and whatever a subscriber throws.
        workerThread = null;
      }
      processed = pendingWork.addAndGet(-processed);
    } while (processed != 0);
  }

  /** Delivers signals while there is demand. */
  private void deliverAll() {
    while (!closed) {
      Flow.Subscriber<? super T> target = subscriber;
      Throwable cause = failure;
      if (cause != null && target != null && !cancelled) {
        fail(target, cause);
        return;
      }
      try {
        if (cancelled || target == null) {
          close();
          return;
        }
        if (!deliverOne(target)) {
          return;
        }
      } catch (RuntimeException e) {
        if (!cancelled && target != null) {
          fail(target, e);
        } else if (closed) {
          LOG.log(
              System.Logger.Level.WARNING,
              "a cancelled subscription could not release everything it held",
              e);
        }
        // What the feed threw after it was cancelled no longer matters: now it is closed.
      } catch (Error e) {
        // This subscription does not run again: what it holds is released here or never.
        if (target != null && !closed) {
          fail(target, e);
        }
        throw e;
      }
    }
  }

  /**
   * Delivers one signal; returns false if there is nothing to do until the next call from outside.
   */
  private boolean deliverOne(Flow.Subscriber<? super T> target) {
    ElementFeed<T> current = feed;
    if (current == null) {
      if (demand.get() == 0) {
        return false;
      }
      current = feeds.get();
      feed = current;
      // An earlier cancel could not stop it.
      return true;
    }
    if (demand.get() == 0) {
      if (!current.isExhausted()) {
        return false;
      }
      complete(target);
      return true;
    }
    T next = current.next();
    if (next != null) {
      demand.accumulateAndGet(1, (old, one) -> old == Long.MAX_VALUE ? old : old - one);
      try {
        target.onNext(next);
      } catch (RuntimeException e) {
        cancelAfterThrow("onNext", e);
      }
    } else if (!cancelled) {
      complete(target);
    }
    return true;
  }

  private void complete(Flow.Subscriber<? super T> target) {
    close();
    try {
      target.onComplete();
    } catch (RuntimeException e) {
      cancelAfterThrow("onComplete", e);
    }
  }

  private void fail(Flow.Subscriber<? super T> target, Throwable cause) {
    try {
      close();
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
    try {
      target.onError(cause);
    } catch (RuntimeException e) {
      cancelAfterThrow("onError", e);
    }
  }

  /** Cancels the subscription of a subscriber that threw, which it must not do. */
  private void cancelAfterThrow(String method, RuntimeException thrown) {
    cancelled = true;
    LOG.log(
        System.Logger.Level.WARNING,
        "a subscriber threw in " + method + ", which it must not do; its subscription is cancelled",
        thrown);
  }

  private void close() {
    if (!closed) {
      closed = true;
      subscriber = null;
      ElementFeed<T> openFeed = feed;
      if (openFeed != null) {
        openFeed.close();
      }
    }
  }

  /** Whether it was cancelled or has completed. */
  boolean isEnding() {
    return cancelled || closed;
  }

  /**
   * Waits until a subscription that is ending has released what it held.
   *
   * @throws CallTimeoutException if the subscriber keeps it busy for longer than that
   */
  void awaitEnd(Clock clock, long nanos) {
    long deadline = clock.nanoTime() + nanos;
    while (workerThread != null || !closed) {
      if (Thread.currentThread().equals(workerThread)) {
        // The call comes from the subscriber, which has cancelled: it has received the last element
        // already.
        close();
        return;
      }
      long left = deadline - clock.nanoTime();
      if (left <= 0) {
        throw new CallTimeoutException(
            "the subscription was cancelled, but its subscriber is still in a signal; call again");
      }
      clock.parkNanos(this, Math.min(POLL_NANOS, left));
      MessagingService.checkInterrupted(() -> "the subscriber, still in a signal; call again");
    }
  }
}
