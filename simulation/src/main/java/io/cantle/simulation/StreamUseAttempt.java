package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.GridException;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One use of streams by a client, once.
 *
 * <p><b>Threading:</b> one simulated thread; signals of publishers come on others of its node.
 */
final class StreamUseAttempt {
  private static final long MAX_WAIT_NANOS = 1_000_000_000L;

  private final StreamWorkload work;
  private final NodeSlot slot;
  private final SplittableRandom random;
  private final long number;
  private final String text;
  private final FailureListener failureListener;

  /** Decides about an exception in the middle of a use that can go on after it. */
  interface FailureListener {
    /** Returns if it was allowed, after a while; it is a violation if not. */
    void onFailure(RuntimeException thrown);
  }

  StreamUseAttempt(
      String client,
      StreamUseCase use,
      StreamWorkload work,
      NodeSlot slot,
      SplittableRandom random,
      FailureListener failureListener) {
    this.work = work;
    this.slot = slot;
    this.random = random;
    this.failureListener = failureListener;
    this.number = work.nextCall();
    this.text = client + " " + use + " " + number;
  }

  StreamWorkload work() {
    return work;
  }

  NodeSlot station() {
    return slot;
  }

  SplittableRandom random() {
    return random;
  }

  /** Different from that of any other call. */
  long number() {
    return number;
  }

  /** So many keys are there throughout, from 0 on. */
  int stableKeys() {
    return work.scenario().stableKeys();
  }

  Cache<Object, StampedValue> cache() {
    return slot.node().cache();
  }

  /** All values, with settings that must not matter. */
  CacheStream<StampedValue> values() {
    return randomlyConfigured(cache().values().stream());
  }

  /** The values that stay. */
  CacheStream<StampedValue> stableEntries() {
    int stable = stableKeys();
    return values().filter(value -> value.key() < stable);
  }

  /** Draws settings which change how a stream runs and not what comes of it. */
  <T> CacheStream<T> randomlyConfigured(CacheStream<T> stream) {
    CacheStream<T> drawn = stream;
    if (random.nextInt(4) == 0) {
      drawn = drawn.distributedBatchSize(random.nextInt(1, 40));
    }
    if (random.nextInt(6) == 0) {
      drawn = drawn.sequentialDistribution();
    }
    if (random.nextInt(6) == 0) {
      drawn = drawn.timeout(work.scenario().timeout());
    }
    if (random.nextInt(work.workload().isHurried() ? 2 : 6) == 0) {
      drawn = drawn.filter(StreamUseAttempt::slowIdentity);
    }
    return drawn;
  }

  /** Takes its time on the owner, so that a change falls into a scan. */
  private static boolean slowIdentity(Object element) {
    SimulatedHost.delayBriefly();
    return element != null;
  }

  /** A result whose elements are to be looked at. */
  StreamResultChecker newResultChecker() {
    return new StreamResultChecker(this, work);
  }

  /** It is wrong if something does not hold. */
  void check(boolean holds, Supplier<String> otherwise) {
    if (!holds) {
      reportViolation(otherwise.get());
    }
  }

  /** Two numbers must be the same. */
  void checkSame(long expected, long found) {
    check(expected == found, () -> "was " + found + ", not " + expected);
  }

  /** It is wrong; but who is dead says nothing. */
  void reportViolation(String wrong) {
    while (!slot.host().isAlive()) {
      LockSupport.park(this);
    }
    work.workload().reportViolation(text + ": " + wrong);
  }

  /** Goes on after an exception that is allowed. */
  void reportFailure(RuntimeException thrown) {
    failureListener.onFailure(thrown);
  }

  /** A segment was lost in the middle: the use is repeated. */
  GridException reportLostSegment(int segment) {
    return new GridException(text + ": segment " + segment + " was lost");
  }

  /** Waits; whoever makes it true wakes this thread. */
  void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      slot.host().clock().parkNanos(this, MAX_WAIT_NANOS);
    }
  }

  /** Rests a little, mostly not. */
  void delayBriefly(long nanos) {
    if (random.nextInt(4) == 0) {
      slot.host().clock().parkNanos(this, random.nextLong(nanos));
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
