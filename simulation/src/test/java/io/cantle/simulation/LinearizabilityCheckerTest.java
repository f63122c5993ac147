package io.cantle.simulation;

import static io.cantle.simulation.LinearizabilityChecker.Verdict.LINEARIZABLE;
import static io.cantle.simulation.LinearizabilityChecker.Verdict.UNDECIDED;
import static io.cantle.simulation.LinearizabilityChecker.Verdict.VIOLATED;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.MapOperation.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class LinearizabilityCheckerTest {
  /**
   * The kinds of random calls. An expiry must begin after its write, so it is not drawn like the
   * rest.
   */
  private static final List<Kind> KINDS =
      Stream.of(Kind.values()).filter(kind -> kind != Kind.END).toList();

  private static final long MAX_STEPS = 1_000_000;

  @Test
  void expiryHappensOnceWithinItsWindow() {
    ClientCall written = done(Kind.PUT, 1, 2, 0, 7, 0);
    ClientCall end = done(Kind.END, 5, 9, 7, 0, 0);
    assertThat(check(written, get(3, 4, 7), end, get(10, 11, 0))).isEqualTo(LINEARIZABLE);
    assertThat(check(written, end, get(6, 7, 0), get(8, 10, 0))).isEqualTo(LINEARIZABLE);
    assertThat(check(written, end, get(3, 4, 0))).as("early").isEqualTo(VIOLATED);
    assertThat(check(written, end, get(10, 11, 7))).as("late").isEqualTo(VIOLATED);
    assertThat(check(written, end, get(6, 7, 0), get(8, 8, 7))).as("back").isEqualTo(VIOLATED);
    ClientCall again = done(Kind.PUT, 3, 4, 0, 8, 7);
    assertThat(check(written, again, end, get(10, 11, 8))).isEqualTo(LINEARIZABLE);
  }

  @Test
  void openReplacementMayPrecedeExpiry() {
    ClientCall written = done(Kind.PUT, 1, 2, 0, 7, 0);
    ClientCall replacing = open(new MapOperation(Kind.REPLACE, 0, 0, 8), 3);
    ClientCall end = done(Kind.END, 5, 9, 7, 0, 0);
    assertThat(check(written, replacing, end, get(10, 11, 8))).isEqualTo(LINEARIZABLE);
    assertThat(check(written, replacing, end, get(10, 11, 0))).isEqualTo(LINEARIZABLE);
    assertThat(check(written, replacing, end, get(10, 11, 7))).isEqualTo(VIOLATED);
    ClientCall late = open(new MapOperation(Kind.REPLACE, 0, 0, 8), 10);
    assertThat(check(written, late, end, get(12, 13, 8))).isEqualTo(VIOLATED);
  }

  @Test
  void acceptsEmptyHistory() {
    assertThat(check()).isEqualTo(LINEARIZABLE);
  }

  @Test
  void acceptsSequentialCalls() {
    assertThat(check(put(1, 2, 7, 0), get(3, 4, 7), remove(5, 6, 7), get(7, 8, 0)))
        .isEqualTo(LINEARIZABLE);
  }

  @Test
  void acceptsOverlappingCallsInEitherOrder() {
    assertThat(check(put(1, 10, 7, 8), put(2, 9, 8, 0), get(11, 12, 7))).isEqualTo(LINEARIZABLE);
    assertThat(check(put(1, 10, 7, 0), put(2, 9, 8, 7), get(11, 12, 8))).isEqualTo(LINEARIZABLE);
  }

  @Test
  void refusesStaleRead() {
    assertThat(check(put(1, 2, 7, 0), put(3, 4, 8, 7), get(5, 6, 7))).isEqualTo(VIOLATED);
  }

  @Test
  void refusesNonMonotonicReads() {
    assertThat(check(put(1, 20, 7, 0), get(2, 3, 7), get(4, 5, 0))).isEqualTo(VIOLATED);
  }

  @Test
  void refusesLostWrite() {
    assertThat(check(put(1, 2, 7, 0), get(3, 4, 0))).isEqualTo(VIOLATED);
  }

  @Test
  void refusesValueFromNowhere() {
    assertThat(check(get(1, 2, 7))).isEqualTo(VIOLATED);
  }

  @Test
  void refusesWriteThatTookEffectTwice() {
    // The retry of the merge joins its value to itself.
    long twice = MapOperation.joinValues(7, 7);
    assertThat(check(done(Kind.MERGE, 1, 2, 0, 7, 7), get(3, 4, twice))).isEqualTo(VIOLATED);
  }

  @Test
  void refusesTwoWinnersOfOneCondition() {
    assertThat(
            check(
                put(1, 2, 7, 0),
                done(Kind.REPLACE_IF, 3, 10, 7, 8, 1),
                done(Kind.REPLACE_IF, 4, 9, 7, 9, 1)))
        .isEqualTo(VIOLATED);
  }

  @Test
  void refusesTwoFirstInsertions() {
    assertThat(
            check(
                done(Kind.PUT_IF_ABSENT, 1, 10, 0, 7, 0), done(Kind.PUT_IF_ABSENT, 2, 9, 0, 8, 0)))
        .isEqualTo(VIOLATED);
  }

  @Test
  void openWriteMayHappenNowLaterOrNever() {
    ClientCall open = open(MapOperation.put(0, 7), 1);
    assertThat(check(open, get(2, 3, 0), get(4, 5, 7))).isEqualTo(LINEARIZABLE);
    assertThat(check(open, get(2, 3, 7))).isEqualTo(LINEARIZABLE);
    assertThat(check(open, get(2, 3, 0))).isEqualTo(LINEARIZABLE);
  }

  @Test
  void refusesOpenWriteAppliedTwice() {
    assertThat(check(open(MapOperation.put(0, 7), 1), get(2, 3, 7), remove(4, 5, 7), get(6, 7, 7)))
        .isEqualTo(VIOLATED);
  }

  @Test
  void refusesOpenWriteAppliedBeforeItsCall() {
    assertThat(check(get(1, 2, 7), open(MapOperation.put(0, 7), 3))).isEqualTo(VIOLATED);
  }

  @Test
  void refusesFailedWriteThatTookEffect() {
    ClientCall failed = new ClientCall("a", MapOperation.put(0, 7), 1);
    failed.recordFailed();
    assertThat(check(failed, get(2, 3, 7))).isEqualTo(VIOLATED);
    assertThat(check(failed, get(2, 3, 0))).isEqualTo(LINEARIZABLE);
  }

  @Test
  void considersWritesWithoutResult() {
    ClientCall blind = new ClientCall("a", MapOperation.put(0, 7), 1);
    blind.recordDone(4);
    assertThat(check(blind, get(2, 3, 0), get(5, 6, 7))).isEqualTo(LINEARIZABLE);
    assertThat(check(blind, get(5, 6, 0))).isEqualTo(VIOLATED);
  }

  @Test
  void isUndecidedWhenTheSearchIsTooLong() {
    List<ClientCall> calls = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      // Each may have happened, and any number of them may have happened before the last.
      calls.add(open(MapOperation.increment(0), i));
    }
    calls.add(get(30, 31, 99));
    assertThat(LinearizabilityChecker.check(calls, 10)).isEqualTo(UNDECIDED);
  }

  @Test
  void decidesWithManyOpenCalls() {
    List<ClientCall> calls = new ArrayList<>();
    for (int i = 1; i <= 200; i++) {
      calls.add(open(MapOperation.put(0, 1_000 + i), i));
      calls.add(open(MapOperation.remove(0), i));
      calls.add(open(new MapOperation(Kind.REPLACE, 0, 0, 2_000 + i), i));
      calls.add(open(new MapOperation(Kind.MERGE, 0, 0, 3_000 + i), i));
    }
    long merged = MapOperation.joinValues(2_007, 3_009);
    calls.add(get(300, 301, merged));
    calls.add(put(302, 303, 5_000, 1_001));
    assertThat(LinearizabilityChecker.check(calls, 1_000)).isEqualTo(LINEARIZABLE);
    calls.add(get(304, 305, merged));
    assertThat(LinearizabilityChecker.check(calls, 1_000)).isEqualTo(VIOLATED);
  }

  /** One of the two values that a join may have found never existed, which takes long to detect. */
  @Test
  void decidesAmbiguousJoins() {
    List<ClientCall> calls = new ArrayList<>();
    for (int i = 1; i <= 14; i++) {
      calls.add(open(new MapOperation(Kind.MERGE, 0, 0, 1_000 + i), i));
    }
    long added = 2_000;
    while (!mayHaveMetAnother(7, added)) {
      added++;
    }
    calls.add(put(20, 21, 7, 0));
    calls.add(done(Kind.MERGE, 22, 23, 0, added, MapOperation.joinValues(7, added)));
    assertThat(LinearizabilityChecker.check(calls, MAX_STEPS)).isEqualTo(LINEARIZABLE);
    calls.add(get(24, 25, 7));
    assertThat(LinearizabilityChecker.check(calls, MAX_STEPS)).isEqualTo(VIOLATED);
  }

  private static boolean mayHaveMetAnother(long met, long added) {
    long joined = MapOperation.joinValues(met, added);
    long first = MapOperation.joinWith(joined, added)[0];
    return first != met
        && MapOperation.isJoined(first)
        && MapOperation.joinValues(first, added) == joined;
  }

  /** Returns the verdict on a history if the checker agrees with one that tries every order. */
  private static boolean isViolatedByBoth(List<ClientCall> calls) {
    boolean possible = anyOrder(calls, 0, 0, new HashSet<>());
    assertThat(LinearizabilityChecker.check(calls, MAX_STEPS))
        .as(() -> calls.toString())
        .isEqualTo(possible ? LINEARIZABLE : VIOLATED);
    return !possible;
  }

  /** Checks small random histories against a checker that tries every order. */
  @Test
  void agreesWithExhaustiveSearch() {
    SplittableRandom random = new SplittableRandom(11);
    int violated = 0;
    for (int round = 0; round < 20_000; round++) {
      List<ClientCall> calls = randomCalls(random);
      violated += isViolatedByBoth(calls) ? 1 : 0;
    }
    assertThat(violated).isBetween(1_000, 19_000);
  }

  /**
   * Checks histories of a map whose clients were often cut off, some of them changed afterwards.
   */
  @Test
  void agreesWithExhaustiveSearchOfOpenCalls() {
    SplittableRandom random = new SplittableRandom(12);
    int violated = 0;
    for (int round = 0; round < 60_000; round++) {
      List<ClientCall> calls = likelyCalls(random, random.nextInt(3, 10));
      violated += isViolatedByBoth(calls) ? 1 : 0;
    }
    assertThat(violated).isBetween(6_000, 54_000);
  }

  /** Checks the same where some of the values that were surely written expire. */
  @Test
  void agreesWithExhaustiveSearchOfExpiringValues() {
    SplittableRandom random = new SplittableRandom(13);
    int violated = 0;
    for (int round = 0; round < 60_000; round++) {
      List<ClientCall> calls = new ArrayList<>(likelyCalls(random, random.nextInt(3, 7)));
      for (ClientCall call : List.copyOf(calls)) {
        long value = call.operation().value();
        if (call.fate() == ClientCall.CallOutcome.RETURNED
            && call.operation().writtenValue(call.result()) == value
            && random.nextInt(3) > 0) {
          long from = call.returnedAt() + 1 + random.nextInt(6);
          ClientCall end = new ClientCall("time", MapOperation.expire(0, value), from);
          calls.add(end.recordReturn(from + random.nextInt(6), MapOperation.ABSENT));
        }
      }
      violated += isViolatedByBoth(calls) ? 1 : 0;
    }
    assertThat(violated).isBetween(3_000, 57_000);
  }

  private static List<ClientCall> likelyCalls(SplittableRandom random, int count) {
    List<ClientCall> calls = new ArrayList<>();
    List<Long> states = new ArrayList<>(List.of(MapOperation.ABSENT));
    // Few kinds, so that calls which can do the same meet.
    List<Kind> kinds =
        random
            .ints(4, 0, KINDS.size())
            .mapToObj(KINDS::get)
            .map(kind -> kind == Kind.INCREMENT ? Kind.MERGE : kind)
            .toList();
    int openInSix = random.nextInt(1, 5);
    boolean wrong = random.nextInt(4) > 0;
    for (int i = 0; i < count; i++) {
      long some = states.get(random.nextInt(states.size()));
      Kind kind = kinds.get(random.nextInt(kinds.size()));
      MapOperation operation =
          new MapOperation(kind, 0, some == MapOperation.ABSENT ? 99 : some, 20 + i);
      long moment = 10 + 3L * i;
      ClientCall call = new ClientCall("c" + i, operation, moment - random.nextInt(9));
      boolean open = random.nextInt(6) < openInSix;
      long state = states.getLast();
      if (!open && random.nextInt(6) == 0 && (kind == Kind.PUT || kind == Kind.REMOVE)) {
        call.recordDone(moment + random.nextInt(9));
      } else if (!open) {
        long seen =
            wrong && random.nextInt(3) == 0 ? states.get(random.nextInt(states.size())) : state;
        call.recordReturn(moment + random.nextInt(9), operation.resultIn(seen));
      }
      if (!open || random.nextBoolean()) {
        states.add(operation.nextState(state));
      }
      calls.add(call);
    }
    return calls;
  }

  private static List<ClientCall> randomCalls(SplittableRandom random) {
    List<ClientCall> calls = new ArrayList<>();
    int count = random.nextInt(2, 7);
    for (int i = 0; i < count; i++) {
      Kind kind = KINDS.get(random.nextInt(KINDS.size()));
      MapOperation operation = new MapOperation(kind, 0, 11 + random.nextInt(count), 11 + i);
      long invoked = random.nextInt(20);
      ClientCall call = new ClientCall("c" + i, operation, invoked);
      long likely = random.nextInt(3) == 0 ? 0 : 11 + random.nextInt(count);
      switch (random.nextInt(6)) {
        case 0 -> {}
        case 1 -> call.recordDone(invoked + 1 + random.nextInt(8));
        default -> call.recordReturn(invoked + 1 + random.nextInt(8), operation.resultIn(likely));
      }
      calls.add(call);
    }
    return calls;
  }

  private record Tried(int placed, long state) {}

  /** The calls placed are the bits of a number. */
  private static boolean anyOrder(
      List<ClientCall> calls, int placed, long state, Set<Tried> tried) {
    if (!tried.add(new Tried(placed, state))) {
      return false;
    }
    long firstReturn = Long.MAX_VALUE;
    for (int i = 0; i < calls.size(); i++) {
      if ((placed & 1 << i) == 0 && calls.get(i).isRelevant()) {
        firstReturn = Math.min(firstReturn, calls.get(i).returnedAt());
      }
    }
    if (firstReturn == Long.MAX_VALUE) {
      return true;
    }
    for (int i = 0; i < calls.size(); i++) {
      ClientCall call = calls.get(i);
      if ((placed & 1 << i) == 0
          && call.isRelevant()
          && call.invoked() <= firstReturn
          && call.isPossibleIn(state)
          && anyOrder(calls, placed | 1 << i, call.operation().nextState(state), tried)) {
        return true;
      }
    }
    return false;
  }

  private static LinearizabilityChecker.Verdict check(ClientCall... calls) {
    return LinearizabilityChecker.check(List.of(calls), MAX_STEPS);
  }

  private static ClientCall get(long from, long until, long result) {
    return new ClientCall("a", MapOperation.get(0), from).recordReturn(until, result);
  }

  private static ClientCall put(long from, long until, long value, long result) {
    return new ClientCall("a", MapOperation.put(0, value), from).recordReturn(until, result);
  }

  private static ClientCall remove(long from, long until, long result) {
    return new ClientCall("a", MapOperation.remove(0), from).recordReturn(until, result);
  }

  private static ClientCall done(
      Kind kind, long from, long until, long expected, long value, long result) {
    return new ClientCall("a", new MapOperation(kind, 0, expected, value), from)
        .recordReturn(until, result);
  }

  private static ClientCall open(MapOperation operation, long from) {
    return new ClientCall("a", operation, from);
  }
}
