package io.cantle.cli.drain;

import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber that is given an entry only when somebody else says so.
 *
 * <p><b>Threading:</b> the publisher calls it on one thread at a time; another asks and looks.
 */
final class ManualSubscriber implements Flow.Subscriber<Map.Entry<Integer, byte[]>> {
  private final BitSet seen;
  private final int valueBytes;
  private final CountDownLatch subscribed = new CountDownLatch(1);
  private final CountDownLatch completed = new CountDownLatch(1);
  private volatile Flow.@Nullable Subscription subscription;
  private volatile @Nullable Throwable failure;
  private final AtomicLong takenCount = new AtomicLong();
  private long duplicates;

  /** For keys from 0 on, with values of this length. */
  ManualSubscriber(int entries, int valueBytes) {
    this.seen = new BitSet(entries);
    this.valueBytes = valueBytes;
  }

  @Override
  public void onSubscribe(Flow.Subscription granted) {
    subscription = granted;
    subscribed.countDown();
  }

  @Override
  public void onNext(Map.Entry<Integer, byte[]> entry) {
    if (entry.getValue().length != valueBytes) {
      throw new IllegalStateException(
          "the value of " + entry.getKey() + " has " + entry.getValue().length + " bytes");
    }
    if (seen.get(entry.getKey())) {
      duplicates++;
    }
    seen.set(entry.getKey());
    takenCount.incrementAndGet();
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

  /** The subscription, once there is one. */
  Flow.Subscription subscription() throws InterruptedException {
    subscribed.await();
    Flow.Subscription granted = subscription;
    if (granted == null) {
      throw new IllegalStateException("the publisher granted nothing");
    }
    return granted;
  }

  /**
   * Waits for the end, and no longer than this.
   *
   * @return whether it is over
   * @throws IllegalStateException if the publisher failed
   */
  boolean isOverWithin(long millis) throws InterruptedException {
    boolean over = completed.await(millis, TimeUnit.MILLISECONDS);
    Throwable thrown = failure;
    if (thrown != null) {
      throw new IllegalStateException("the publisher failed: " + thrown, thrown);
    }
    return over;
  }

  /** How many have come so far. */
  long takenCount() {
    return takenCount.get();
  }

  /** How many different ones have come, once it is over. */
  long seenKeys() {
    return seen.cardinality();
  }

  /** How many came again, once it is over. */
  long duplicateCount() {
    return duplicates;
  }
}
