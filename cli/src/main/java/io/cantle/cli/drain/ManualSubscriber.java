package io.cantle.cli.drain;

import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber that requests nothing itself: another thread requests the entries.
 *
 * <p><b>Threading:</b> the publisher calls it on one thread at a time; another thread requests
 * entries and reads the counts.
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

  /** Creates a subscriber for keys from 0 on, with values of this length. */
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

  /** Waits for the subscription. */
  Flow.Subscription subscription() throws InterruptedException {
    subscribed.await();
    Flow.Subscription granted = subscription;
    if (granted == null) {
      throw new IllegalStateException("the publisher passed no subscription");
    }
    return granted;
  }

  /**
   * Waits for the end, but no longer than this.
   *
   * @return whether the publisher has completed
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

  /** How many entries have arrived so far. */
  long takenCount() {
    return takenCount.get();
  }

  /** How many different keys have arrived; to be called after the end. */
  long seenKeys() {
    return seen.cardinality();
  }

  /** How many entries arrived again; to be called after the end. */
  long duplicateCount() {
    return duplicates;
  }
}
