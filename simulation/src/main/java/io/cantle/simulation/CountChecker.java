package io.cantle.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checker of whether the numbers of keys that clients were told can be true.
 *
 * <p>Each key is counted at some moment between the beginning and the end of the call. For most
 * keys it is known whether they were present then, because nobody wrote them. If the count is the
 * highest possible, all others were present; if it is the lowest possible, none was. Each such
 * conclusion is a read of its key, which {@link LinearizabilityChecker} judges with the other
 * calls.
 *
 * <p><b>Threading:</b> one thread.
 */
final class CountChecker {
  /**
   * Checking one key takes time proportional to its calls; if there are more keys, only this many
   * are checked.
   */
  private static final int MAX_CHECKED_KEYS = 64;

  private final int stableKeys;
  private final int keys;
  private final List<ObservedCount> counts = new ArrayList<>();

  /** A count that a client was told, and when. */
  private record ObservedCount(String client, long began, long ended, long reported) {}

  /** Keys below {@code stableKeys} are stable; those after them may be present or not. */
  CountChecker(int stableKeys, int keys) {
    this.stableKeys = stableKeys;
    this.keys = keys;
  }

  /** Adds a count that a client was told between two moments. */
  void add(String client, long began, long ended, long reported) {
    counts.add(new ObservedCount(client, began, ended, reported));
  }

  /**
   * Adds to the history what the counts imply about keys, and returns the counts that cannot be
   * true.
   */
  List<String> addReads(CallHistory history) {
    List<String> violations = new ArrayList<>();
    int step = counts.size() / MAX_CHECKED_KEYS + 1;
    for (int i = 0; i < counts.size(); i += step) {
      String wrong = addReads(counts.get(i), history);
      if (wrong != null) {
        violations.add(wrong);
      }
    }
    return violations;
  }

  private @Nullable String addReads(ObservedCount count, CallHistory history) {
    long min = stableKeys;
    List<Integer> doubtful = new ArrayList<>();
    for (int key = stableKeys; key < keys; key++) {
      switch (presenceAt(history.byKey().getOrDefault(key, List.of()), count)) {
        case YES -> min++;
        case NO -> {}
        case MAYBE -> doubtful.add(key);
      }
    }
    long max = min + doubtful.size();
    if (count.reported < min || count.reported > max) {
      return count + " is not within " + min + " to " + max;
    }
    if (count.reported == min || count.reported == max) {
      long there = count.reported == max ? 1 : 0;
      for (int key : doubtful) {
        history.read(
            count.client + " count", MapOperation.contains(key), count.began, count.ended, there);
      }
    }
    return null;
  }

  private enum Presence {
    YES,
    NO,
    MAYBE
  }

  /** Returns whether a key was present while it was counted. */
  private static Presence presenceAt(List<ClientCall> calls, ObservedCount count) {
    ClientCall last = null;
    long beforeLast = 0;
    for (ClientCall call : calls) {
      if (!call.operation().isReadOnly() && call.isRelevant() && call.invoked() < count.ended) {
        if (call.returnedAt() > count.began) {
          return Presence.MAYBE;
        }
        if (last == null || call.invoked() > last.invoked()) {
          beforeLast = last == null ? 0 : Math.max(beforeLast, last.returnedAt());
          last = call;
        } else {
          beforeLast = Math.max(beforeLast, call.returnedAt());
        }
      }
    }
    if (last == null) {
      return Presence.NO;
    }
    return beforeLast < last.invoked() && !mayExpire(calls) ? endOf(last) : Presence.MAYBE;
  }

  /** Returns whether any of these calls writes a value that expires. */
  private static boolean mayExpire(List<ClientCall> calls) {
    return calls.stream().anyMatch(call -> call.operation().kind() == MapOperation.Kind.END);
  }

  /** Returns whether the key is present after a write, as far as its result tells. */
  private static Presence endOf(ClientCall call) {
    MapOperation.Kind kind = call.operation().kind();
    long result = call.result();
    if (call.fate() != ClientCall.CallOutcome.RETURNED) {
      return kind == MapOperation.Kind.PUT ? Presence.YES : Presence.MAYBE;
    }
    return switch (kind) {
      case PUT, PUT_IF_ABSENT, MERGE, COMPUTE_IF_ABSENT, INCREMENT -> Presence.YES;
      case REMOVE -> Presence.NO;
      case REPLACE, COMPUTE, COMPUTE_IF_PRESENT ->
          result == MapOperation.ABSENT ? Presence.NO : Presence.YES;
      case REMOVE_IF -> result == 1 ? Presence.NO : Presence.MAYBE;
      case REPLACE_IF -> result == 1 ? Presence.YES : Presence.MAYBE;
      case GET, CONTAINS, END -> Presence.MAYBE;
    };
  }
}
