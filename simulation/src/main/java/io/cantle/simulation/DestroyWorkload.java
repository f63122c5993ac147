package io.cantle.simulation;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.Durability;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What the {@link DestroyClient}s of a run share: a second cache that is destroyed and created
 * again all the time, with another configuration now and then. To its name, destroying it is the
 * removal of every key. So what clients saw of it must be linearizable as always.
 *
 * <p>Nothing here draws from the generator that other workloads draw from, so without these clients
 * a seed is as it was.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class DestroyWorkload {
  /** The name of the cache. */
  static final String CACHE = "brief";

  /** How many keys it has. */
  static final int KEYS = 4;

  /** With more calls of unknown outcome little can be concluded about a key. */
  private static final int MAX_OPEN_CALLS = 10;

  private ClientWorkload workload;
  private final CallHistory history;
  private final SplittableRandom random;
  private final List<CacheConfig> configs;
  private int openCalls;
  private int generation;
  private boolean destroys = true;

  DestroyWorkload(SeedScenario scenario, ClientWorkload workload, CallHistory history) {
    this.workload = workload;
    this.history = history;
    this.random = new SplittableRandom(scenario.calmNanos() + 3);
    this.configs = configs(scenario);
  }

  /** Returns configurations that survive what the faults of the scenario may take away. */
  private static List<CacheConfig> configs(SeedScenario scenario) {
    CacheConfig under = scenario.cache();
    List<CacheConfig> configs = new ArrayList<>();
    for (int segments : new int[] {1, 3}) {
      CacheConfig config =
          under.mode() == CacheMode.REPLICATED
              ? new CacheConfig(CacheMode.REPLICATED, 1, segments)
              : new CacheConfig(under.mode(), under.owners(), segments);
      configs.add(scenario.isDurable() ? config.durability(Durability.SYNC) : config);
    }
    return configs;
  }

  ClientWorkload workload() {
    return workload;
  }

  /** Goes on beside another workload, because all nodes were stopped. */
  void continueBeside(ClientWorkload next) {
    workload = next;
  }

  CallHistory history() {
    return history;
  }

  /** Returns a generator for one client. */
  SplittableRandom splitRandom() {
    return random.split();
  }

  /** Returns the configuration in which the cache is created next. */
  CacheConfig config() {
    return configs.get(generation % configs.size());
  }

  /** Records that the cache was destroyed, or that it has another configuration. */
  void nextConfig() {
    generation++;
  }

  /** Records that a call ended with an unknown outcome. */
  void recordOpen() {
    openCalls++;
  }

  /** Returns whether clients may go on to destroy the cache, and to write. */
  boolean mayChange() {
    return openCalls < MAX_OPEN_CALLS * KEYS;
  }

  /** Returns whether clients may destroy the cache. */
  boolean mayDestroy() {
    return destroys && mayChange();
  }

  /** From now on nobody destroys the cache, so that the grid comes to rest. */
  void endDestroying() {
    destroys = false;
  }

  /** Checks what clients saw; returns the first violation or null. */
  @Nullable String check(long maxSteps) {
    for (Map.Entry<Integer, List<ClientCall>> key : history.byKey().entrySet()) {
      List<ClientCall> calls = key.getValue();
      List<String> wrong = UniqueValueChecker.check(calls);
      if (!wrong.isEmpty()) {
        return "brief k" + key.getKey() + " VIOLATED: " + wrong.getFirst();
      }
      LinearizabilityChecker.Verdict verdict = LinearizabilityChecker.check(calls, maxSteps);
      if (verdict == LinearizabilityChecker.Verdict.VIOLATED) {
        return "brief k"
            + key.getKey()
            + " "
            + verdict
            + ": "
            + new ContradictionReport(calls, maxSteps);
      }
    }
    return null;
  }
}
