package io.cantle.simulation;

import io.cantle.FunctionException;
import java.util.SplittableRandom;

/**
 * A client that uses streams. It tries every stream use, over keys that stay and over keys that
 * come and go, which it writes and removes itself. A use that was refused is repeated.
 *
 * <p><b>Threading:</b> one simulated thread.
 */
final class StreamClient {
  private static final StreamUseCase[] USES = StreamUseCase.values();
  private static final int WRITES_PER_TEN_CALLS = 4;

  private final String name;
  private final NodeSlot slot;
  private final StreamWorkload work;
  private final ClientWorkload workload;
  private final SeedScenario scenario;
  private final SimulatedClient client;
  private final SplittableRandom random;

  /**
   * @param client a client of the map at the same node
   */
  StreamClient(
      String name,
      NodeSlot slot,
      StreamWorkload work,
      SimulatedClient client,
      SplittableRandom random) {
    this.name = name;
    this.slot = slot;
    this.work = work;
    this.workload = work.workload();
    this.scenario = work.scenario();
    this.client = client;
    this.random = random;
  }

  /** Works until the workload stops or the node has closed. */
  void runClient() {
    while (workload.isOpen()) {
      client.pause();
      // A use takes many messages, so most uses are saved for the time after a change.
      if (!workload.isHurried()) {
        slot.host().clock().parkNanos(this, random.nextLong(4 * scenario.thinkNanos()));
      }
      if (slot.state() == NodeSlot.State.LEAVING && random.nextInt(8) == 0) {
        return;
      }
      int drawn = random.nextInt(10);
      if (drawn < WRITES_PER_TEN_CALLS) {
        write();
      } else if (drawn == WRITES_PER_TEN_CALLS && random.nextInt(4) == 0) {
        // This iteration is checked for the keys that come and go as well.
        client.scanEntries(Integer.MAX_VALUE);
      } else {
        repeat(USES[random.nextInt(USES.length)]);
      }
    }
  }

  private void write() {
    int key = client.drawKey();
    if (random.nextInt(3) == 0) {
      client.call(MapOperation.remove(key));
    } else {
      long value = workload.nextValue();
      work.recordAttempt(key, value);
      client.call(MapOperation.put(key, value));
    }
  }

  private void repeat(StreamUseCase use) {
    while (workload.isOpen() && slot.state() == NodeSlot.State.STEADY && !runOnce(use)) {
      client.pause();
    }
  }

  private boolean runOnce(StreamUseCase use) {
    boolean mustSucceed = workload.expectsSuccess();
    StreamUseAttempt call =
        new StreamUseAttempt(
            name, use, work, slot, random, thrown -> onFailure(mustSucceed, use, thrown));
    int changes = workload.recordChange();
    workload.log().record(EventKind.CALL, slot.host(), call.number(), call::toString);
    try {
      use.run(call);
    } catch (RuntimeException e) {
      onFailure(mustSucceed, use, e);
      return false;
    }
    client.endWithHost();
    work.recordEnded(use);
    workload.log().record(EventKind.RETURN, slot.host(), call.number(), call::toString);
    workload.log().record(EventKind.SCAN, slot.host(), call::toString);
    if (changes != workload.recordChange()) {
      workload.log().record(EventKind.SCAN_ACROSS_CHANGE, slot.host(), call::toString);
    }
    return true;
  }

  private void onFailure(boolean mustSucceed, StreamUseCase use, RuntimeException thrown) {
    client.endWithHost();
    if (thrown instanceof FunctionException) {
      workload.reportViolation(
          name + " " + use + ": no function throws here: " + StackTraces.format(thrown));
    }
    client.onRefusal(mustSucceed, name + " " + use, EventKind.SCAN_FAILURE, thrown);
    client.pause();
  }
}
