package io.cantle.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A model of when the values of a cache with a bound may go. An eviction is modelled as a call that
 * no client made, which removes a value if it is still there, at any time after its write began. It
 * need not happen. With these calls added to a history, {@link LinearizabilityChecker} accepts that
 * a key is absent at any time, and finds values that came back.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class EvictionModel {
  /** The values of which the history has an eviction. */
  private final Set<Long> evictable = new HashSet<>();

  /**
   * Adds evictions to the history, of all values that are known by now. Called once more when reads
   * were added.
   */
  void addEvictions(CallHistory history) {
    for (List<ClientCall> calls : List.copyOf(history.byKey().values())) {
      List<ClientCall> made = List.copyOf(calls);
      for (ClientCall call : made) {
        MapOperation operation = call.operation();
        if (call.fate() == ClientCall.CallOutcome.RETURNED) {
          addEviction(history, operation.key(), operation.writtenValue(call.result()), call);
        } else if (operation.hasValue()) {
          addEviction(history, operation.key(), operation.value(), call);
        }
      }
      // A join whose outcome is not known is known by its value, which others have seen.
      for (ClientCall call : made) {
        if (call.fate() == ClientCall.CallOutcome.RETURNED
            && MapOperation.isJoined(call.result())) {
          addEviction(history, call.operation().key(), call.result(), made.getFirst());
        }
      }
    }
  }

  private void addEviction(CallHistory history, int key, long value, ClientCall writer) {
    if (value != MapOperation.ABSENT && evictable.add(value)) {
      history.add("bound", MapOperation.mayExpire(key, value), writer.invoked(), 0);
    }
  }
}
