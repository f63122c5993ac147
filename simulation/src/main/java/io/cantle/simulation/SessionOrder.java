package io.cantle.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides whether each client, one call after the other, saw time go forward on one key: once it
 * has seen a value replaced by another it never sees the first again, for each value is written
 * once; and after its own write it never sees what had been written and told before that began.
 *
 * <p><b>Threading:</b> one thread.
 */
final class SessionOrder {
  private SessionOrder() {}

  /** What one client knows. */
  private static final class Memory {
    private final Set<Long> past = new HashSet<>();
    private long present = Operation.ABSENT;
    private long wroteSince = -1;
  }

  /** What is wrong with the calls on one key, in the order they began; nothing if empty. */
  static List<String> check(List<Call> calls) {
    List<String> violations = new ArrayList<>();
    Map<Long, Call> writers = new HashMap<>();
    for (Call call : calls) {
      if (call.fate() == Call.Fate.RETURNED) {
        long written = call.operation().written(call.result());
        if (written != Operation.ABSENT) {
          writers.put(written, call);
        }
      }
    }
    Map<String, Memory> memories = new HashMap<>();
    for (Call call : calls) {
      if (call.fate() == Call.Fate.RETURNED) {
        look(call, memories.computeIfAbsent(call.client(), same -> new Memory()), writers)
            .forEach(violations::add);
      }
    }
    return violations;
  }

  private static List<String> look(Call call, Memory memory, Map<Long, Call> writers) {
    List<String> wrong = new ArrayList<>();
    long before = before(call, memory);
    if (memory.past.contains(before)) {
      wrong.add(call + " saw again what its client had seen replaced");
    }
    Call writer = writers.get(before);
    if (writer != null && writer.returned() < memory.wroteSince) {
      wrong.add(call + " saw what was older than its client's own write: " + writer);
    }
    enter(memory, before);
    long written = call.operation().written(call.result());
    if (written != Operation.ABSENT) {
      enter(memory, written);
      memory.wroteSince = call.invoked();
    } else if (removed(call)) {
      enter(memory, Operation.ABSENT);
      memory.wroteSince = call.invoked();
    }
    return wrong;
  }

  /**
   * What was there when the call happened, or what the client knows if the result does not tell.
   */
  private static long before(Call call, Memory memory) {
    return switch (call.operation().kind()) {
      case GET, PUT, PUT_IF_ABSENT, REMOVE, REPLACE -> call.result();
      case REMOVE_IF, REPLACE_IF ->
          call.result() == 1 ? call.operation().expected() : memory.present;
      default -> memory.present;
    };
  }

  private static boolean removed(Call call) {
    return switch (call.operation().kind()) {
      case REMOVE -> true;
      case REMOVE_IF -> call.result() == 1;
      default -> false;
    };
  }

  private static void enter(Memory memory, long value) {
    if (value != memory.present) {
      if (memory.present != Operation.ABSENT) {
        memory.past.add(memory.present);
      }
      memory.present = value;
    }
  }
}
