package io.cantle.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A checker that treats each value of one key as a token. Each value is written by one call, so at
 * most one call can have replaced or removed it. Nobody can have seen it before it was written, or
 * if its write failed.
 *
 * <p>{@link LinearizabilityChecker} implies all this. But this check takes no search, so it works
 * on histories of any length, and it names the two calls that exclude each other.
 *
 * <p><b>Threading:</b> one thread.
 */
final class UniqueValueChecker {
  /** Set in what joins make of two values; such a value has no single writer. */
  private static final long JOINED_BIT = 1L << 62;

  private UniqueValueChecker() {}

  /** Returns the violations in the calls on one key; empty if there are none. */
  static List<String> check(List<ClientCall> calls) {
    List<String> violations = new ArrayList<>();
    Map<Long, ClientCall> writers = new HashMap<>();
    for (ClientCall call : calls) {
      if (call.operation().value() != MapOperation.ABSENT) {
        writers.put(call.operation().value(), call);
      }
    }
    Map<Long, ClientCall> consumers = new HashMap<>();
    for (ClientCall call : calls) {
      if (call.fate() == ClientCall.CallOutcome.RETURNED) {
        long consumed = consumedValue(call);
        ClientCall other = consumed == MapOperation.ABSENT ? null : consumers.put(consumed, call);
        if (other != null) {
          violations.add("one value was taken by " + other + " and by " + call);
        }
        long seen = seenValue(call);
        if (seen != MapOperation.ABSENT && (seen & JOINED_BIT) == 0) {
          addImpossible(call, seen, writers.get(seen), violations);
        }
      }
    }
    return violations;
  }

  private static void addImpossible(
      ClientCall call, long seen, @Nullable ClientCall writer, List<String> to) {
    if (writer == null) {
      to.add(call + " saw " + Long.toHexString(seen) + ", which nobody wrote");
    } else if (writer.fate() == ClientCall.CallOutcome.FAILED) {
      to.add(call + " saw what failed to be written by " + writer);
    } else if (writer.invoked() > call.returnedAt()) {
      to.add(call + " saw what was written only later by " + writer);
    } else if (writer.fate() == ClientCall.CallOutcome.RETURNED
        && writer.operation().writtenValue(writer.result()) != seen) {
      to.add(call + " saw what was refused to be written by " + writer);
    }
  }

  /** Returns the value that a call has replaced or removed, as far as its result tells. */
  private static long consumedValue(ClientCall call) {
    return switch (call.operation().kind()) {
      case PUT, REMOVE, REPLACE -> call.result();
      case REMOVE_IF, REPLACE_IF ->
          call.result() == 1 ? call.operation().expected() : MapOperation.ABSENT;
      default -> MapOperation.ABSENT;
    };
  }

  /** Returns the value of another call that this call has seen, as far as its result tells. */
  private static long seenValue(ClientCall call) {
    return switch (call.operation().kind()) {
      case GET, PUT, PUT_IF_ABSENT, REMOVE, REPLACE -> call.result();
      case REMOVE_IF, REPLACE_IF -> consumedValue(call);
      case COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT, MERGE, COMPUTE ->
          call.result() == call.operation().value() ? MapOperation.ABSENT : call.result();
      case CONTAINS, INCREMENT, END -> MapOperation.ABSENT;
    };
  }
}
