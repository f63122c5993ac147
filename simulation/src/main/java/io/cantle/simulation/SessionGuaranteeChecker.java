package io.cantle.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A checker of session guarantees on one key: each client sees time go forward from one of its
 * calls to the next. Each value is written once, so a client that has seen a value replaced by
 * another never sees the first again. After its own write, a client never sees what had been
 * written and reported before that write began.
 *
 * <p><b>Threading:</b> one thread.
 */
final class SessionGuaranteeChecker {
  private SessionGuaranteeChecker() {}

  /** What one client knows of the key. */
  private static final class ClientMemory {
    private final Set<Long> pastValues = new HashSet<>();
    private long presentValue = MapOperation.ABSENT;
    private long lastWriteMoment = -1;
  }

  /**
   * Returns the violations in the calls on one key, given in the order they began; empty if there
   * are none.
   */
  static List<String> check(List<ClientCall> calls) {
    List<String> violations = new ArrayList<>();
    Map<Long, ClientCall> writers = new HashMap<>();
    for (ClientCall call : calls) {
      if (call.fate() == ClientCall.CallOutcome.RETURNED) {
        long written = call.operation().writtenValue(call.result());
        if (written != MapOperation.ABSENT) {
          writers.put(written, call);
        }
      }
    }
    Map<String, ClientMemory> memories = new HashMap<>();
    for (ClientCall call : calls) {
      if (call.fate() == ClientCall.CallOutcome.RETURNED) {
        checkCall(
                call, memories.computeIfAbsent(call.client(), same -> new ClientMemory()), writers)
            .forEach(violations::add);
      }
    }
    return violations;
  }

  private static List<String> checkCall(
      ClientCall call, ClientMemory memory, Map<Long, ClientCall> writers) {
    List<String> wrong = new ArrayList<>();
    long before = valueBefore(call, memory);
    if (memory.pastValues.contains(before)) {
      wrong.add(call + " saw again what its client had seen replaced");
    }
    ClientCall writer = writers.get(before);
    if (writer != null && writer.returnedAt() < memory.lastWriteMoment) {
      wrong.add(call + " saw what was older than its client's own write: " + writer);
    }
    recordValue(memory, before);
    long written = call.operation().writtenValue(call.result());
    if (written != MapOperation.ABSENT) {
      recordValue(memory, written);
      memory.lastWriteMoment = call.invoked();
    } else if (isRemoval(call)) {
      recordValue(memory, MapOperation.ABSENT);
      memory.lastWriteMoment = call.invoked();
    }
    return wrong;
  }

  /**
   * Returns the value that was there when the call happened, or what the client knows if the result
   * does not tell it.
   */
  private static long valueBefore(ClientCall call, ClientMemory memory) {
    return switch (call.operation().kind()) {
      case GET, PUT, PUT_IF_ABSENT, REMOVE, REPLACE -> call.result();
      case REMOVE_IF, REPLACE_IF ->
          call.result() == 1 ? call.operation().expected() : memory.presentValue;
      default -> memory.presentValue;
    };
  }

  private static boolean isRemoval(ClientCall call) {
    return switch (call.operation().kind()) {
      case REMOVE -> true;
      case REMOVE_IF -> call.result() == 1;
      default -> false;
    };
  }

  private static void recordValue(ClientMemory memory, long value) {
    if (value != memory.presentValue) {
      if (memory.presentValue != MapOperation.ABSENT) {
        memory.pastValues.add(memory.presentValue);
      }
      memory.presentValue = value;
    }
  }
}
