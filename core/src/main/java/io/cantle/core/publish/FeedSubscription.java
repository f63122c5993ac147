package io.cantle.core.publish;

import io.cantle.CallTimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.transport.MessagingService;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One subscriber's scan. While there is demand, and only then, a thread pulls and signals; there is
 * one at a time, so signals come one after another. A subscriber without demand costs no thread.
 *
 * <p>Whatever is called from outside only notes what is wanted and has that thread look: it adds to
 * {@link #pendingWork}, and whoever adds the first starts the thread, which goes on until nothing
 * was added.
 *
 * <p><b>Threading:</b> any thread calls; the feed and the subscriber are the working thread's.
 */
final class FeedSubscription<T> implements Flow.Subscription {
  private static final System.Logger LOG = System.getLogger(FeedSubscription.class.getName());
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Executor threads;
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
   * A subscription that has not begun.
   *
   * @param feeds makes what is published, when it is wanted
   */
  FeedSubscription(
      Executor threads,
      Supplier<? extends ElementFeed<T>> feeds,
      Flow.Subscriber<? super T> subscriber) {
    this.threads = threads;
    this.feeds = feeds;
    this.subscriber = Objects.requireNonNull(subscriber, "subscriber");
  }

  /** Tells the subscriber; signals follow once it has been told. */
  void begin() {
    Flow.Subscriber<? super T> target = subscriber;
    pendingWork.incrementAndGet();
    if (target != null) {
      try {
        target.onSubscribe(this);
      } catch (RuntimeException e) {
        dismiss("onSubscribe", e);
      }
    }
    if (failure != null || cancelled || !pendingWork.compareAndSet(1, 0)) {
      startWorker();
    }
  }

  /** Begins a subscription to nothing but a failure. */
  static <S> void refuse(
      Executor threads, Flow.Subscriber<? super S> subscriber, RuntimeException cause) {
    FeedSubscription<S> refusal =
        new FeedSubscription<>(
            threads,
            () -> {
              throw cause;
            },
            subscriber);
    refusal.failure = cause;
    refusal.begin();
  }

  @Override
  public void request(long additional) {
    if (additional <= 0) {
      failure =
          new IllegalArgumentException(
              "request(" + additional + "): rule 3.9 wants a positive number of elements");
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
      threads.execute(this::work);
    } catch (RejectedExecutionException e) {
      failure = new IllegalStateException("the node is closed", e);
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
        // Before anybody else can begin to work, and whatever a subscriber throws.
        workerThread = null;
      }
      processed = pendingWork.addAndGet(-processed);
    } while (processed != 0);
  }

  /** Signals as long as there is demand. */
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
        } else {
          LOG.log(
              System.Logger.Level.WARNING,
              "a publisher that was cancelled could not give everything back",
              e);
        }
      } catch (Error e) {
        // Nothing of it is run again: what it holds is given back here or never.
        if (target != null && !closed) {
          fail(target, e);
        }
        throw e;
      }
    }
  }

  /** Signals one thing; false if there is nothing to do until somebody says so. */
  private boolean deliverOne(Flow.Subscriber<? super T> target) {
    ElementFeed<T> current = feed;
    if (current == null) {
      if (demand.get() == 0) {
        return false;
      }
      current = feeds.get();
      feed = current;
      // Who cancelled before could not stop it.
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
        dismiss("onNext", e);
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
      dismiss("onComplete", e);
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
      dismiss("onError", e);
    }
  }

  /** A subscriber must not throw: one that does is rid of its subscription. */
  private void dismiss(String method, RuntimeException thrown) {
    cancelled = true;
    LOG.log(
        System.Logger.Level.WARNING,
        "a subscriber threw in " + method + " and gets nothing any more",
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

  /** Whether it was cancelled or has come to its end. */
  boolean isEnding() {
    return cancelled || closed;
  }

  /**
   * Waits until one that is ending has given back what it held.
   *
   * @throws CallTimeoutException if its subscriber keeps it busy beyond that
   */
  void awaitEnd(Clock clock, long nanos) {
    long deadline = clock.nanoTime() + nanos;
    while (workerThread != null || !closed) {
      if (Thread.currentThread().equals(workerThread)) {
        // The subscriber asks, having cancelled: what it was given last it has.
        close();
        return;
      }
      long left = deadline - clock.nanoTime();
      if (left <= 0) {
        throw new CallTimeoutException(
            "the subscriber has not returned from a signal after it was cancelled; ask again");
      }
      clock.parkNanos(this, Math.min(POLL_NANOS, left));
      MessagingService.checkInterrupted();
    }
  }
}
