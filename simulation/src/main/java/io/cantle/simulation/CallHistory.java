package io.cantle.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Every call of a run, by key.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class CallHistory {
  private final SortedMap<Integer, List<ClientCall>> calls = new TreeMap<>();
  private final LongSupplier nowNanos;
  private long[] nanos = new long[1_024];
  private int moment;

  /** No calls yet, in a run that is at some virtual time. */
  CallHistory(LongSupplier nowNanos) {
    this.nowNanos = nowNanos;
  }

  /** The next moment: all moments of a run are in the order in which they were taken. */
  long moment() {
    moment++;
    if (moment == nanos.length) {
      nanos = Arrays.copyOf(nanos, nanos.length * 2);
    }
    nanos[moment] = nowNanos.getAsLong();
    return moment;
  }

  /** The virtual time of a moment. */
  long nanosAt(long past) {
    return nanos[(int) past];
  }

  /** The first moment that is not before a virtual time; one after all others if none is. */
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

  /** The last moment. */
  long lastMoment() {
    return moment;
  }

  /** A call nobody made. */
  void add(String client, MapOperation operation, long invoked, long returned) {
    ClientCall call = new ClientCall(client, operation, invoked);
    add(returned == 0 ? call : call.recordReturn(returned, MapOperation.ABSENT));
  }

  /** A call that begins now. */
  ClientCall beginCall(String client, MapOperation operation) {
    ClientCall call = new ClientCall(client, operation, moment());
    add(call);
    return call;
  }

  /** A read that fell somewhere between two moments, as one delivery of an iteration does. */
  void read(String client, MapOperation operation, long from, long until, long result) {
    add(new ClientCall(client, operation, from).recordReturn(until, result));
  }

  /** The calls on each key, by key. */
  SortedMap<Integer, List<ClientCall>> byKey() {
    return calls;
  }

  private void add(ClientCall call) {
    calls.computeIfAbsent(call.operation().key(), key -> new ArrayList<>()).add(call);
  }
}
