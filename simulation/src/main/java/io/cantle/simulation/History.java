package io.cantle.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Every call of a run, by key.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class History {
  private final SortedMap<Integer, List<Call>> calls = new TreeMap<>();
  private long moment;

  /** The next moment: all moments of a run are in the order in which they were taken. */
  long moment() {
    return ++moment;
  }

  /** A call that begins now. */
  Call begin(String client, Operation operation) {
    Call call = new Call(client, operation, moment());
    add(call);
    return call;
  }

  /** A read that fell somewhere between two moments, as one delivery of an iteration does. */
  void read(String client, Operation operation, long from, long until, long result) {
    add(new Call(client, operation, from).returned(until, result));
  }

  /** The calls on each key, by key. */
  SortedMap<Integer, List<Call>> byKey() {
    return calls;
  }

  private void add(Call call) {
    calls.computeIfAbsent(call.operation().key(), key -> new ArrayList<>()).add(call);
  }
}
