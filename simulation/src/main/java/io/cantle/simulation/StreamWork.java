package io.cantle.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What all clients of a run that stream have in common: what may be seen, and how often what was
 * done.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class StreamWork {
  private final Scenario scenario;
  private final Workload workload;
  private final Population population;
  private final Keys keys;
  private final List<Set<Long>> tried = new ArrayList<>();
  private final Map<StreamUse, Long> ended = new EnumMap<>(StreamUse.class);
  private long calls;
  private long duplicates;
  private long missing;

  StreamWork(Scenario scenario, Workload workload, Population population) {
    this.scenario = scenario;
    this.workload = workload;
    this.population = population;
    this.keys = new Keys(scenario.keyForm());
    for (int key = 0; key < scenario.keys(); key++) {
      tried.add(new HashSet<>());
    }
  }

  Scenario scenario() {
    return scenario;
  }

  Workload workload() {
    return workload;
  }

  /** How numbers become keys. */
  Keys keys() {
    return keys;
  }

  /** The nodes that are members, as far as they were told. */
  List<Station> steady() {
    return population.steady();
  }

  /** A number for a call. */
  long nextCall() {
    return ++calls;
  }

  /** Somebody is about to write. */
  void tries(int key, long value) {
    tried.get(key).add(value);
  }

  /** Whether a key may hold a value at some moment. */
  boolean mayHold(int key, long value) {
    return key >= 0
        && key < tried.size()
        && (key < scenario.stableKeys()
            ? value == Deliveries.stableValue(key)
            : tried.get(key).contains(value));
  }

  /** For which keys functions had an effect anywhere, dead nodes included. */
  BitSet takeEffects(long call) {
    BitSet all = new BitSet();
    population.stations().forEach(station -> all.or(station.host().takeEffects(call)));
    return all;
  }

  /** A use has come to its end. */
  void ended(StreamUse use) {
    ended.merge(use, 1L, Long::sum);
  }

  /** Elements came too often. */
  void duplicates(int more) {
    duplicates += more;
  }

  /** Elements that had to come did not. */
  void missing(int more) {
    missing += more;
  }

  /** What was done. */
  StreamUses uses() {
    return new StreamUses(ended, duplicates, missing);
  }
}
