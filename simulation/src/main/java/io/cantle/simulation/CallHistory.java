package io.cantle.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The record of every call of a run, by key.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class CallHistory {
  private final SortedMap<Integer, List<ClientCall>> calls = new TreeMap<>();
  private final LongSupplier nowNanos;
  private long[] nanos = new long[1_024];
  private int moment;

  /** Creates an empty history. {@code nowNanos} supplies the virtual time of the run. */
  CallHistory(LongSupplier nowNanos) {
    this.nowNanos = nowNanos;
  }

  /** Returns the next moment. The moments of a run are numbered in the order they were taken. */
  long moment() {
    moment++;
    if (moment == nanos.length) {
      nanos = Arrays.copyOf(nanos, nanos.length * 2);
    }
    nanos[moment] = nowNanos.getAsLong();
    return moment;
  }

  /** Returns the virtual time of a moment. */
  long nanosAt(long past) {
    return nanos[(int) past];
  }

  /**
   * Returns the first moment at or after a virtual time, or one later than all others if there is
   * none.
   */
  long firstMomentFrom(long timeNanos) {
    int low = 1;
    int high = moment + 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (nanos[middle] < timeNanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the last moment taken so far. */
  long lastMoment() {
    return moment;
  }

  /** Adds a call that no client made. */
  void add(String client, MapOperation operation, long invoked, long returned) {
    ClientCall call = new ClientCall(client, operation, invoked);
    add(returned == 0 ? call : call.recordReturn(returned, MapOperation.ABSENT));
  }

  /** Begins a call now. */
  ClientCall beginCall(String client, MapOperation operation) {
    ClientCall call = new ClientCall(client, operation, moment());
    add(call);
    return call;
  }

  /**
   * Adds a read that happened at an unknown point between two moments, as a delivery of an
   * iteration does.
   */
  void read(String client, MapOperation operation, long from, long until, long result) {
    add(new ClientCall(client, operation, from).recordReturn(until, result));
  }

  /** Returns the calls on each key, by key. */
  SortedMap<Integer, List<ClientCall>> byKey() {
    return calls;
  }

  private void add(ClientCall call) {
    calls.computeIfAbsent(call.operation().key(), key -> new ArrayList<>()).add(call);
  }
}
