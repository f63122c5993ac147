package io.cantle.bench;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The workloads, each with a check of its result: a wrong one ends the measure instead of counting.
 * All calls go to the first node.
 *
 * <p><b>Threading:</b> any thread; JMH calls with one or more. JMH requires it to be public and not
 * final.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class PeerBenchmark {
  private static final int NODE = 0;

  private final Driver driver;
  private final FlightData flights;

  /** Takes the cluster of this round. */
  public PeerBenchmark() {
    this(LoadedCluster.current().driver(), LoadedCluster.current().flights());
  }

  PeerBenchmark(Driver driver, FlightData flights) {
    this.driver = driver;
    this.flights = flights;
  }

  /** Iterates over every entry once. */
  @Benchmark
  public long iterate() {
    long count = 0;
    long sum = 0;
    Iterator<Map.Entry<String, Flight>> entries = driver.iterate(NODE);
    while (entries.hasNext()) {
      Flight flight = entries.next().getValue();
      checkPayload(flight);
      sum += flight.number();
      count++;
    }
    check("entries iterated", count, flights.count());
    check("sum of the numbers iterated", sum, flights.numberSum());
    return sum;
  }

  /** Counts all entries. */
  @Benchmark
  public long size() {
    long size = driver.size(NODE);
    check("size", size, flights.count());
    return size;
  }

  /** Counts the late flights of each hour. */
  @Benchmark
  public Map<Integer, Long> group() {
    Map<Integer, Long> counts = driver.delayedByHour(NODE);
    if (!counts.equals(flights.delayedByHour())) {
      throw new IllegalStateException(
          "delayed by hour is " + counts + " instead of " + flights.delayedByHour());
    }
    return counts;
  }

  /** Gets one entry. */
  @Benchmark
  public Flight get() {
    int number = ThreadLocalRandom.current().nextInt(flights.count());
    return checkFlight("get", number, driver.get(NODE, flights.key(number)));
  }

  /** Puts one entry and receives the old one. */
  @Benchmark
  public Flight put() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int number = random.nextInt(flights.count());
    Flight value = flights.flight(number, random.nextInt());
    return checkFlight("put", number, driver.put(NODE, flights.key(number), value));
  }

  /** Puts one entry. */
  @Benchmark
  public void set() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int number = random.nextInt(flights.count());
    driver.set(NODE, flights.key(number), flights.flight(number, random.nextInt()));
  }

  private static Flight checkFlight(String name, int number, @Nullable Flight flight) {
    if (flight == null) {
      throw new IllegalStateException(name + " of flight " + number + " found nothing");
    }
    check("number of the flight " + name + " answered", flight.number(), number);
    checkPayload(flight);
    return flight;
  }

  private static void checkPayload(Flight flight) {
    if (flight.payload().length != FlightData.PAYLOAD_BYTES) {
      throw new IllegalStateException(
          "payload of flight "
              + flight.number()
              + " has "
              + flight.payload().length
              + " bytes instead of "
              + FlightData.PAYLOAD_BYTES);
    }
  }

  private static void check(String name, long actual, long expected) {
    if (actual != expected) {
      throw new IllegalStateException(name + " is " + actual + " instead of " + expected);
    }
  }
}
