package io.cantle.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether values of one key were handed out as tokens are: each value is written by one
 * call, so at most one call can have replaced or removed it, and nobody can have seen it before it
 * was written or when its write has failed.
 *
 * <p>{@link LinearizabilityChecker} implies all this; but this takes no search, so it judges
 * histories of any length, and it names the two calls that cannot both be.
 *
 * <p><b>Threading:</b> one thread.
 */
final class UniqueValueChecker {
  /** Set in what joins make of two values; such a value has no single writer. */
  private static final long JOINED_BIT = 1L << 62;

  private UniqueValueChecker() {}

  /** What is wrong with the calls on one key; nothing if the list is empty. */
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

  /** The value a call has replaced or removed, as far as its result tells. */
  private static long consumedValue(ClientCall call) {
    return switch (call.operation().kind()) {
      case PUT, REMOVE, REPLACE -> call.result();
      case REMOVE_IF, REPLACE_IF ->
          call.result() == 1 ? call.operation().expected() : MapOperation.ABSENT;
      default -> MapOperation.ABSENT;
    };
  }

  /** The value of another call that a call has seen, as far as its result tells. */
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
