package io.cantle.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What all clients of a run share that use streams: what may be seen, and how often each use was
 * done.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class StreamWorkload {
  private final SeedScenario scenario;
  private final ClientWorkload workload;
  private final NodePopulation population;
  private final KeyNumbering keys;
  private final List<Set<Long>> triedValues = new ArrayList<>();
  private final Map<StreamUseCase, Long> ended = new EnumMap<>(StreamUseCase.class);
  private long calls;
  private long duplicates;
  private long missing;

  StreamWorkload(SeedScenario scenario, ClientWorkload workload, NodePopulation population) {
    this.scenario = scenario;
    this.workload = workload;
    this.population = population;
    this.keys = new KeyNumbering(scenario.keyForm());
    for (int key = 0; key < scenario.keyCount(); key++) {
      triedValues.add(new HashSet<>());
    }
  }

  SeedScenario scenario() {
    return scenario;
  }

  ClientWorkload workload() {
    return workload;
  }

  /** Returns how numbers become keys. */
  KeyNumbering keys() {
    return keys;
  }

  /** Returns the nodes that are members, as far as they were told. */
  List<NodeSlot> steadyNodes() {
    return population.steadyNodes();
  }

  /** Returns a number for an attempt. */
  long nextCall() {
    return ++calls;
  }

  /** Records that a client is about to write. */
  void recordAttempt(int key, long value) {
    triedValues.get(key).add(value);
  }

  /** Returns whether a key may hold a value at some moment. */
  boolean isPossible(int key, long value) {
    return key >= 0
        && key < triedValues.size()
        && (key < scenario.stableKeys()
            ? value == DeliveryChecker.stableValue(key)
            : triedValues.get(key).contains(value));
  }

  /**
   * Returns and forgets the keys for which functions had an effect anywhere, dead nodes included.
   */
  BitSet takeEffects(long call) {
    BitSet all = new BitSet();
    population.nodeSlots().forEach(slot -> all.or(slot.host().takeEffects(call)));
    return all;
  }

  /** Records that a use completed. */
  void recordEnded(StreamUseCase use) {
    ended.merge(use, 1L, Long::sum);
  }

  /** Counts elements that appeared too often. */
  void addDuplicates(int more) {
    duplicates += more;
  }

  /** Counts required elements that did not appear. */
  void addMissing(int more) {
    missing += more;
  }

  /** Returns what was done. */
  StreamUseRecord toRecord() {
    return new StreamUseRecord(ended, duplicates, missing);
  }
}
