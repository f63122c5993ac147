package io.cantle.bench;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The loaded cluster of this JVM. JMH itself creates the objects it measures and cannot be given
 * any, so they find the one cluster here.
 *
 * <p><b>Threading:</b> any thread, once {@link #start} is done.
 */
record LoadedCluster(Driver driver, FlightData flights) {

  static final int NODES = 6;
  static final int OWNERS = 2;
  static final int ENTRIES = 50_000;

  private static final int LOAD_BATCH = 1_000;

  private static volatile @Nullable LoadedCluster running;

  /** Starts the product on the class path with its nodes and loads the entries. */
  static LoadedCluster start() {
    Iterator<Driver> drivers = ServiceLoader.load(Driver.class).iterator();
    if (!drivers.hasNext()) {
      throw new IllegalStateException("no driver of a product on the class path");
    }
    Driver driver = drivers.next();
    driver.start(NODES, OWNERS, ClusterPorts.findFirst());
    var flights = new FlightData(ENTRIES);
    for (int from = 0; from < ENTRIES; from += LOAD_BATCH) {
      Map<String, Flight> batch = HashMap.newHashMap(LOAD_BATCH);
      for (int number = from; number < Math.min(from + LOAD_BATCH, ENTRIES); number++) {
        batch.put(flights.key(number), flights.flight(number, 0));
      }
      driver.load(batch);
    }
    var cluster = new LoadedCluster(driver, flights);
    running = cluster;
    return cluster;
  }

  /** Returns the cluster that was started. */
  static LoadedCluster current() {
    LoadedCluster cluster = running;
    if (cluster == null) {
      throw new IllegalStateException("no cluster was started in this JVM");
    }
    return cluster;
  }
}
