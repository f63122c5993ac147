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
final class StreamCall {
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;

  private final StreamWork work;
  private final Station station;
  private final SplittableRandom random;
  private final long number;
  private final String text;
  private final Trouble trouble;

  /** Decides about an exception in the middle of a use that can go on after it. */
  interface Trouble {
    /** Returns if it was allowed, after a while; it is a violation if not. */
    void take(RuntimeException thrown);
  }

  StreamCall(
      String client,
      StreamUse use,
      StreamWork work,
      Station station,
      SplittableRandom random,
      Trouble trouble) {
    this.work = work;
    this.station = station;
    this.random = random;
    this.trouble = trouble;
    this.number = work.nextCall();
    this.text = client + " " + use + " " + number;
  }

  StreamWork work() {
    return work;
  }

  Station station() {
    return station;
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

  Cache<Object, Stamp> cache() {
    return station.peer().cache();
  }

  /** All values, with settings that must not matter. */
  CacheStream<Stamp> values() {
    return anyhow(cache().values().stream());
  }

  /** The values that stay. */
  CacheStream<Stamp> stable() {
    int stable = stableKeys();
    return values().filter(value -> value.key() < stable);
  }

  /** Draws settings which change how a stream runs and not what comes of it. */
  <T> CacheStream<T> anyhow(CacheStream<T> stream) {
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
    if (random.nextInt(work.workload().hurry() ? 2 : 6) == 0) {
      drawn = drawn.filter(StreamCall::slowly);
    }
    return drawn;
  }

  /** Takes its time on the owner, so that a change falls into a scan. */
  private static boolean slowly(Object element) {
    Host.dawdle();
    return element != null;
  }

  /** A result whose elements are to be looked at. */
  Sightings sightings() {
    return new Sightings(this, work);
  }

  /** It is wrong if something does not hold. */
  void expect(boolean holds, Supplier<String> otherwise) {
    if (!holds) {
      violation(otherwise.get());
    }
  }

  /** Two numbers must be the same. */
  void expectSame(long expected, long found) {
    expect(expected == found, () -> "was " + found + ", not " + expected);
  }

  /** It is wrong; but who is dead says nothing. */
  void violation(String wrong) {
    while (!station.host().alive()) {
      LockSupport.park(this);
    }
    work.workload().violation(text + ": " + wrong);
  }

  /** Goes on after an exception that is allowed. */
  void trouble(RuntimeException thrown) {
    trouble.take(thrown);
  }

  /** A segment was lost in the middle: the use is repeated. */
  GridException lost(int segment) {
    return new GridException(text + ": segment " + segment + " was lost");
  }

  /** Waits; whoever makes it true wakes this thread. */
  void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      station.host().clock().parkNanos(this, LONGEST_WAIT_NANOS);
    }
  }

  /** Rests a little, mostly not. */
  void dawdle(long nanos) {
    if (random.nextInt(4) == 0) {
      station.host().clock().parkNanos(this, random.nextLong(nanos));
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
