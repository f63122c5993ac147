package io.cantle.core.publish;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.SegmentSignal;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A publisher over iterators: each subscriber gets an iterator of its own. It does not know where
 * an element was stored, so it publishes neither in parts nor by segment.
 *
 * <p><b>Threading:</b> immutable, any thread; an iterator is used by one thread at a time.
 */
public final class IteratorPublisher<T> implements CachePublisher<T> {
  private final SubscriptionExecutor executor;
  private final Supplier<CloseableIterator<T>> iterators;

  /**
   * Creates a publisher over iterators.
   *
   * @param iterators opens an iterator, on the thread that uses it
   */
  public IteratorPublisher(
      SubscriptionExecutor executor, Supplier<CloseableIterator<T>> iterators) {
    this.executor = executor;
    this.iterators = iterators;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    new FeedSubscription<T>(executor, () -> new IteratorFeed<>(iterators.get()), subscriber)
        .begin();
  }

  @Override
  public List<Part<T>> split(int parts) {
    throw new UnsupportedOperationException(
        "this stream has stages that run where it was made and not on owners, so what it publishes"
            + " cannot be split; split a stream without such stages");
  }

  @Override
  public Flow.Publisher<SegmentSignal<T>> bySegment() {
    throw new UnsupportedOperationException(
        "this stream has stages that run where it was made and not on owners, so what it publishes"
            + " belongs to no segment; publish a stream without such stages");
  }

  /** A feed over an iterator. */
  private static final class IteratorFeed<T> implements ElementFeed<T> {
    private final CloseableIterator<T> iterator;

    @GuardedBy("this")
    private boolean stopped;

    @GuardedBy("this")
    private @Nullable Thread waitingThread;

    IteratorFeed(CloseableIterator<T> iterator) {
      this.iterator = iterator;
    }

    @Override
    public @Nullable T next() {
      if (!beginWait()) {
        return null;
      }
      try {
        return iterator.hasNext()
            ? Objects.requireNonNull(
                iterator.next(), "an element is null, and null cannot be published")
            : null;
      } finally {
        endWait();
      }
    }

    private synchronized boolean beginWait() {
      waitingThread = stopped ? null : Thread.currentThread();
      return !stopped;
    }

    /**
     * From here on the thread may run the subscriber. An interrupt meant for the wait is cleared.
     */
    private synchronized void endWait() {
      waitingThread = null;
      if (stopped) {
        Thread.interrupted();
      }
    }

    @Override
    public boolean isExhausted() {
      return false;
    }

    @Override
    public synchronized void stop() {
      stopped = true;
      Thread thread = waitingThread;
      if (thread != null) {
        thread.interrupt();
      }
    }

    @Override
    public void close() {
      iterator.close();
    }
  }
}
