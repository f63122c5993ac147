package io.cantle.cli.demo;

import io.cantle.Grid;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A slow subscriber to all keys: it requests a thousand, rests, and requests the next. Meanwhile it
 * measures how much is buffered at its node.
 *
 * <p><b>Threading:</b> the publisher calls it on one thread at a time; other threads wait for the
 * end.
 */
final class SlowSubscriber implements Flow.Subscriber<FlightKey> {
  private static final int REQUEST_SIZE = 1_000;
  private static final long REST_NANOS = 2_000_000;
  private static final int MEASURE_INTERVAL = 50;

  private final Grid grid;
  private final LongConsumer progress;
  private final Set<FlightKey> seen = new HashSet<>();
  private final CountDownLatch completed = new CountDownLatch(1);
  private Flow.@Nullable Subscription subscription;
  private @Nullable Throwable failure;
  private long delivered;
  private long maxBufferedBytes;

  SlowSubscriber(Grid grid, LongConsumer progress) {
    this.grid = grid;
    this.progress = progress;
  }

  @Override
  public void onSubscribe(Flow.Subscription granted) {
    subscription = granted;
    granted.request(REQUEST_SIZE);
  }

  @Override
  public void onNext(FlightKey key) {
    delivered++;
    seen.add(key);
    if (delivered % MEASURE_INTERVAL == 0) {
      maxBufferedBytes = Math.max(maxBufferedBytes, grid.scanFigures().bytesWaiting());
    }
    Flow.Subscription granted = subscription;
    if (delivered % REQUEST_SIZE == 0 && granted != null) {
      progress.accept(delivered);
      LockSupport.parkNanos(this, REST_NANOS);
      granted.request(REQUEST_SIZE);
    }
  }

  @Override
  public void onError(Throwable thrown) {
    failure = thrown;
    completed.countDown();
  }

  @Override
  public void onComplete() {
    completed.countDown();
  }

  /**
   * Waits until all keys have arrived.
   *
   * @throws IllegalStateException if the publisher failed
   */
  DemoResult.Publication await() throws InterruptedException {
    completed.await();
    if (failure != null) {
      throw new IllegalStateException("the publisher failed", failure);
    }
    return new DemoResult.Publication(seen.size(), delivered - seen.size(), maxBufferedBytes);
  }
}
