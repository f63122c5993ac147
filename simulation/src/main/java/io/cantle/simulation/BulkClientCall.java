package io.cantle.simulation;

import io.cantle.PartialWriteException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A bulk write as its client saw it: a call on each of its keys.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class BulkClientCall {
  private final Map<Integer, ClientCall> calls = new TreeMap<>();

  /** Begins a call for each operation; no two may have the same key. */
  BulkClientCall(String client, CallHistory history, List<MapOperation> operations) {
    operations.forEach(
        operation -> calls.put(operation.key(), history.beginCall(client, operation)));
  }

  /** Records that all calls ended normally. */
  void recordDone(long moment) {
    calls.values().forEach(call -> call.recordDone(moment));
  }

  /** Records that no call had an effect. */
  void recordFailed() {
    calls.values().forEach(ClientCall::recordFailed);
  }

  /**
   * Records what an exception says of each call. It names what was not written, what is in doubt
   * first. If that leaves as many keys as it counts as written, these are the ones; otherwise not
   * all of the others were named, and they stay open.
   *
   * @return what is wrong with the exception, or null
   */
  @Nullable String recordPartial(long moment, PartialWriteException partial) {
    Map<Integer, ClientCall> others = new TreeMap<>(calls);
    List<ClientCall> named = new ArrayList<>();
    for (Object key : partial.keys()) {
      ClientCall call = others.remove(KeyNumbering.toNumber(key));
      if (call == null) {
        return "a key is named that was not given, or twice: " + key;
      }
      named.add(call);
    }
    if (partial.doubtfulCount() > named.size() || partial.writtenCount() > others.size()) {
      return "more is counted than there is";
    }
    named.stream().skip(partial.doubtfulCount()).forEach(ClientCall::recordFailed);
    if (others.size() == partial.writtenCount()) {
      others.values().forEach(call -> call.recordDone(moment));
    }
    return null;
  }

  /** Returns whether some of the calls are known to have happened, and others not to have. */
  boolean isDoneInPart() {
    return has(ClientCall.CallOutcome.DONE_WITHOUT_RESULT) && has(ClientCall.CallOutcome.FAILED);
  }

  private boolean has(ClientCall.CallOutcome outcome) {
    return calls.values().stream().anyMatch(call -> call.fate() == outcome);
  }
}
