package io.cantle.core.publish;

import io.cantle.TimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.transport.Requests;
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
 * {@link #work}, and whoever adds the first starts the thread, which goes on until nothing was
 * added.
 *
 * <p><b>Threading:</b> any thread calls; the feed and the subscriber are the working thread's.
 */
final class Subscription<T> implements Flow.Subscription {
  private static final System.Logger LOG = System.getLogger(Subscription.class.getName());
  private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(1);

  private final Executor threads;
  private final Supplier<? extends Feed<T>> open;
  private final AtomicLong demand = new AtomicLong();
  private final AtomicInteger work = new AtomicInteger();
  private volatile Flow.@Nullable Subscriber<? super T> subscriber;
  private volatile @Nullable Feed<T> feed;
  private volatile @Nullable Throwable refused;
  private volatile boolean cancelled;
  private volatile boolean closed;
  private volatile @Nullable Thread working;

  /**
   * A subscription that has not begun.
   *
   * @param open makes what is published, when it is wanted
   */
  Subscription(
      Executor threads, Supplier<? extends Feed<T>> open, Flow.Subscriber<? super T> subscriber) {
    this.threads = threads;
    this.open = open;
    this.subscriber = Objects.requireNonNull(subscriber, "subscriber");
  }

  /** Tells the subscriber; signals follow once it has been told. */
  void begin() {
    Flow.Subscriber<? super T> told = subscriber;
    work.incrementAndGet();
    if (told != null) {
      try {
        told.onSubscribe(this);
      } catch (RuntimeException e) {
        dismiss("onSubscribe", e);
      }
    }
    if (refused != null || cancelled || !work.compareAndSet(1, 0)) {
      start();
    }
  }

  /** Begins a subscription to nothing but a failure. */
  static <S> void refuse(
      Executor threads, Flow.Subscriber<? super S> subscriber, RuntimeException why) {
    Subscription<S> refusal =
        new Subscription<>(
            threads,
            () -> {
              throw why;
            },
            subscriber);
    refusal.refused = why;
    refusal.begin();
  }

  @Override
  public void request(long more) {
    if (more <= 0) {
      refused =
          new IllegalArgumentException(
              "request(" + more + "): rule 3.9 wants a positive number of elements");
    } else {
      demand.accumulateAndGet(more, (old, n) -> old + n < 0 ? Long.MAX_VALUE : old + n);
    }
    look();
  }

  @Override
  public void cancel() {
    if (!cancelled) {
      cancelled = true;
      Feed<T> stopped = feed;
      if (stopped != null) {
        stopped.stop();
      }
      look();
    }
  }

  private void look() {
    if (!closed && work.getAndIncrement() == 0) {
      start();
    }
  }

  private void start() {
    try {
      threads.execute(this::work);
    } catch (RejectedExecutionException e) {
      refused = new IllegalStateException("the node is closed", e);
      work();
    }
  }

  private void work() {
    int seen = work.get();
    do {
      working = Thread.currentThread();
      try {
        signal();
      } finally {
        // Before anybody else can begin to work, and whatever a subscriber throws.
        working = null;
      }
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  /** Signals as long as there is demand. */
  private void signal() {
    while (!closed) {
      Flow.Subscriber<? super T> to = subscriber;
      Throwable why = refused;
      if (why != null && to != null && !cancelled) {
        fail(to, why);
        return;
      }
      try {
        if (cancelled || to == null) {
          close();
          return;
        }
        if (!step(to)) {
          return;
        }
      } catch (RuntimeException e) {
        if (!cancelled && to != null) {
          fail(to, e);
        } else {
          LOG.log(
              System.Logger.Level.WARNING,
              "a publisher that was cancelled could not give everything back",
              e);
        }
      } catch (Error e) {
        // Nothing of it is run again: what it holds is given back here or never.
        if (to != null && !closed) {
          fail(to, e);
        }
        throw e;
      }
    }
  }

  /** Signals one thing; false if there is nothing to do until somebody says so. */
  private boolean step(Flow.Subscriber<? super T> to) {
    Feed<T> from = feed;
    if (from == null) {
      if (demand.get() == 0) {
        return false;
      }
      from = open.get();
      feed = from;
      // Who cancelled before could not stop it.
      return true;
    }
    if (demand.get() == 0) {
      if (!from.over()) {
        return false;
      }
      complete(to);
      return true;
    }
    T next = from.next();
    if (next != null) {
      demand.accumulateAndGet(1, (old, one) -> old == Long.MAX_VALUE ? old : old - one);
      try {
        to.onNext(next);
      } catch (RuntimeException e) {
        dismiss("onNext", e);
      }
    } else if (!cancelled) {
      complete(to);
    }
    return true;
  }

  private void complete(Flow.Subscriber<? super T> to) {
    close();
    try {
      to.onComplete();
    } catch (RuntimeException e) {
      dismiss("onComplete", e);
    }
  }

  private void fail(Flow.Subscriber<? super T> to, Throwable why) {
    try {
      close();
    } catch (RuntimeException e) {
      why.addSuppressed(e);
    }
    try {
      to.onError(why);
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
      Feed<T> last = feed;
      if (last != null) {
        last.close();
      }
    }
  }

  /** Whether it was cancelled or has come to its end. */
  boolean ending() {
    return cancelled || closed;
  }

  /**
   * Waits until one that is ending has given back what it held.
   *
   * @throws TimeoutException if its subscriber keeps it busy beyond that
   */
  void awaitEnd(Clock clock, long nanos) {
    long deadline = clock.nanoTime() + nanos;
    while (working != null || !closed) {
      if (Thread.currentThread().equals(working)) {
        // The subscriber asks, having cancelled: what it was given last it has.
        close();
        return;
      }
      long left = deadline - clock.nanoTime();
      if (left <= 0) {
        throw new TimeoutException(
            "the subscriber has not returned from a signal after it was cancelled; ask again");
      }
      clock.parkNanos(this, Math.min(LOOK_AGAIN, left));
      Requests.stopWhenInterrupted();
    }
  }
}
