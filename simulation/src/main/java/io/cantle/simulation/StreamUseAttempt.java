package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.CacheStream;
import io.cantle.GridException;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One attempt of a client at one use of streams.
 *
 * <p><b>Threading:</b> one simulated thread; signals of publishers arrive on other threads of its
 * node.
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
    /** Returns after a while if the exception was allowed; otherwise it is a violation. */
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

  /** Returns a number that differs from that of any other attempt. */
  long number() {
    return number;
  }

  /** Returns how many keys, from 0 on, are present throughout. */
  int stableKeys() {
    return work.scenario().stableKeys();
  }

  Cache<Object, StampedValue> cache() {
    return slot.node().cache();
  }

  /** Returns a stream of all values, with settings that must not change the result. */
  CacheStream<StampedValue> values() {
    return randomlyConfigured(cache().values().stream());
  }

  /** Returns a stream of the values that stay. */
  CacheStream<StampedValue> stableEntries() {
    int stable = stableKeys();
    return values().filter(value -> value.key() < stable);
  }

  /** Draws settings that change how a stream runs, but not its result. */
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

  /** Takes its time on the owner, so that a change happens during a scan. */
  private static boolean slowIdentity(Object element) {
    SimulatedHost.delayBriefly();
    return element != null;
  }

  /** Returns a checker for the elements of a result. */
  StreamResultChecker newResultChecker() {
    return new StreamResultChecker(this, work);
  }

  /** Reports a violation if a condition does not hold. */
  void check(boolean holds, Supplier<String> otherwise) {
    if (!holds) {
      reportViolation(otherwise.get());
    }
  }

  /** Checks that two numbers are the same. */
  void checkSame(long expected, long found) {
    check(expected == found, () -> "was " + found + ", not " + expected);
  }

  /** Reports a violation; a dead host reports nothing. */
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

  /** Reports that a segment was lost in the middle: the use is repeated. */
  GridException reportLostSegment(int segment) {
    return new GridException(text + ": segment " + segment + " was lost");
  }

  /** Waits for a condition; the code that makes it true wakes this thread. */
  void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      slot.host().clock().parkNanos(this, MAX_WAIT_NANOS);
    }
  }

  /** Delays the thread a little, mostly not at all. */
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
