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
 * <p>{@link Linearizability} implies all this; but this takes no search, so it judges histories of
 * any length, and it names the two calls that cannot both be.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Tokens {
  /** Set in what joins make of two values; such a value has no single writer. */
  private static final long JOINED = 1L << 62;

  private Tokens() {}

  /** What is wrong with the calls on one key; nothing if the list is empty. */
  static List<String> check(List<Call> calls) {
    List<String> violations = new ArrayList<>();
    Map<Long, Call> writers = new HashMap<>();
    for (Call call : calls) {
      if (call.operation().value() != Operation.ABSENT) {
        writers.put(call.operation().value(), call);
      }
    }
    Map<Long, Call> consumers = new HashMap<>();
    for (Call call : calls) {
      if (call.fate() == Call.Fate.RETURNED) {
        long consumed = consumed(call);
        Call other = consumed == Operation.ABSENT ? null : consumers.put(consumed, call);
        if (other != null) {
          violations.add("one value was taken by " + other + " and by " + call);
        }
        long seen = seen(call);
        if (seen != Operation.ABSENT && (seen & JOINED) == 0) {
          addImpossible(call, seen, writers.get(seen), violations);
        }
      }
    }
    return violations;
  }

  private static void addImpossible(Call call, long seen, @Nullable Call writer, List<String> to) {
    if (writer == null) {
      to.add(call + " saw " + Long.toHexString(seen) + ", which nobody wrote");
    } else if (writer.fate() == Call.Fate.FAILED) {
      to.add(call + " saw what failed to be written by " + writer);
    } else if (writer.invoked() > call.returned()) {
      to.add(call + " saw what was written only later by " + writer);
    } else if (writer.fate() == Call.Fate.RETURNED
        && writer.operation().written(writer.result()) != seen) {
      to.add(call + " saw what was refused to be written by " + writer);
    }
  }

  /** The value a call has replaced or removed, as far as its result tells. */
  private static long consumed(Call call) {
    return switch (call.operation().kind()) {
      case PUT, REMOVE, REPLACE -> call.result();
      case REMOVE_IF, REPLACE_IF ->
          call.result() == 1 ? call.operation().expected() : Operation.ABSENT;
      default -> Operation.ABSENT;
    };
  }

  /** The value of another call that a call has seen, as far as its result tells. */
  private static long seen(Call call) {
    return switch (call.operation().kind()) {
      case GET, PUT, PUT_IF_ABSENT, REMOVE, REPLACE -> call.result();
      case REMOVE_IF, REPLACE_IF -> consumed(call);
      case COMPUTE_IF_ABSENT, COMPUTE_IF_PRESENT, MERGE, COMPUTE ->
          call.result() == call.operation().value() ? Operation.ABSENT : call.result();
      case CONTAINS, INCREMENT, END -> Operation.ABSENT;
    };
  }
}
