package io.cantle.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether what clients were told about how many keys there are can be true.
 *
 * <p>Each key is counted at some moment between the beginning and the end of the call. Of most keys
 * is known whether they were there then, because nobody wrote them; the others were all there if as
 * many were counted as could be, and none of them if as few. That is then a read of each of these
 * keys, to be judged by {@link LinearizabilityChecker} with the others.
 *
 * <p><b>Threading:</b> one thread.
 */
final class CountChecker {
  /** Looking at one takes as long as there are calls; of many, as many are looked at. */
  private static final int MAX_CHECKED_KEYS = 64;

  private final int stableKeys;
  private final int keys;
  private final List<ObservedCount> counts = new ArrayList<>();

  /** What a client was told, and when. */
  private record ObservedCount(String client, long began, long ended, long reported) {}

  /** The keys from 0 on are stable, those after them may be there or not. */
  CountChecker(int stableKeys, int keys) {
    this.stableKeys = stableKeys;
    this.keys = keys;
  }

  /** A client was told a count between two moments. */
  void add(String client, long began, long ended, long reported) {
    counts.add(new ObservedCount(client, began, ended, reported));
  }

  /** Tells the history what counts say about keys; returns what none of them can be. */
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

  /** Whether a key was there while it was counted. */
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

  /** Whether there are values that end by themselves. */
  private static boolean mayExpire(List<ClientCall> calls) {
    return calls.stream().anyMatch(call -> call.operation().kind() == MapOperation.Kind.END);
  }

  /** Whether the key is there after a write, as far as its result tells. */
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
