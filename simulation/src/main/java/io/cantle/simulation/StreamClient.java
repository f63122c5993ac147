package io.cantle.simulation;

import io.cantle.FunctionException;
import java.util.SplittableRandom;

/**
 * A client that streams: every use there is, over keys that stay and keys that come and go, which
 * it writes and removes itself. A use that was refused is repeated.
 *
 * <p><b>Threading:</b> one simulated thread.
 */
final class StreamClient {
  private static final StreamUse[] USES = StreamUse.values();
  private static final int WRITES_OF_TEN = 4;

  private final String name;
  private final Station station;
  private final StreamWork work;
  private final Workload workload;
  private final Scenario scenario;
  private final Client client;
  private final SplittableRandom random;

  /**
   * @param client a client of the map at the same node
   */
  StreamClient(
      String name, Station station, StreamWork work, Client client, SplittableRandom random) {
    this.name = name;
    this.station = station;
    this.work = work;
    this.workload = work.workload();
    this.scenario = work.scenario();
    this.client = client;
    this.random = random;
  }

  /** Works until the workload stops or the node has closed. */
  void work() {
    while (workload.isOpen()) {
      client.pause();
      // A use is many messages: most are kept for the time after a change.
      if (!workload.hurry()) {
        station.host().clock().parkNanos(this, random.nextLong(4 * scenario.thinkNanos()));
      }
      if (station.state() == Station.State.LEAVING && random.nextInt(8) == 0) {
        return;
      }
      int drawn = random.nextInt(10);
      if (drawn < WRITES_OF_TEN) {
        write();
      } else if (drawn == WRITES_OF_TEN && random.nextInt(4) == 0) {
        // Judged for the keys that come and go as well.
        client.walk(Integer.MAX_VALUE);
      } else {
        repeat(USES[random.nextInt(USES.length)]);
      }
    }
  }

  private void write() {
    int key = client.drawKey();
    if (random.nextInt(3) == 0) {
      client.call(Operation.remove(key));
    } else {
      long value = workload.nextValue();
      work.tries(key, value);
      client.call(Operation.put(key, value));
    }
  }

  private void repeat(StreamUse use) {
    while (workload.isOpen() && station.state() == Station.State.STEADY && !once(use)) {
      client.pause();
    }
  }

  private boolean once(StreamUse use) {
    boolean mustSucceed = workload.expectsSuccess();
    StreamCall call =
        new StreamCall(
            name, use, work, station, random, thrown -> trouble(mustSucceed, use, thrown));
    int changes = workload.changes();
    workload.log().record(EventKind.CALL, station.host(), call.number(), call::toString);
    try {
      use.run(call);
    } catch (RuntimeException e) {
      trouble(mustSucceed, use, e);
      return false;
    }
    client.endWithHost();
    work.ended(use);
    workload.log().record(EventKind.RETURN, station.host(), call.number(), call::toString);
    workload.log().record(EventKind.SCAN, station.host(), call::toString);
    if (changes != workload.changes()) {
      workload.log().record(EventKind.SCAN_ACROSS_CHANGE, station.host(), call::toString);
    }
    return true;
  }

  private void trouble(boolean mustSucceed, StreamUse use, RuntimeException thrown) {
    client.endWithHost();
    if (thrown instanceof FunctionException) {
      workload.violation(name + " " + use + ": no function throws here: " + Stacks.of(thrown));
    }
    client.refused(mustSucceed, name + " " + use, EventKind.SCAN_FAILURE, thrown);
    client.pause();
  }
}
