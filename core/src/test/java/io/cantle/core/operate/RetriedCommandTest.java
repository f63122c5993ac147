package io.cantle.core.operate;

import static io.cantle.core.replica.HandReplica.bytes;
import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static io.cantle.core.replica.HandReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.HandReplica;
import io.cantle.core.replica.Outcome;
import io.cantle.core.replica.Received;
import io.cantle.core.replica.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A caller that got no answer sends the same command again, to whoever is primary then. Whatever
 * the operation, and whatever became of the segment meanwhile, it has one effect, and every answer
 * is that of the first time.
 */
final class RetriedCommandTest {
  private static final Slice KEY = Slice.of(bytes("k"));

  private final HandReplica a = new HandReplica("a");
  private final HandReplica b = new HandReplica("b");
  private final HandReplica c = new HandReplica("c");

  /** An operation on a key that holds "old", what it answers, and what is there afterwards. */
  record Case(String name, Operation operation, String answer, List<String> after) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    Slice value = Slice.of(bytes("new"));
    Slice old = Slice.of(bytes("old"));
    return Stream.of(
        new Case("put", new Put(value, false), "old", List.of("k=new")),
        new Case("remove", new Remove(false), "old", List.of()),
        new Case("replace", new Replace(value), "old", List.of("k=new")),
        new Case("replaceExact", new Compare(old, value), "true", List.of("k=new")),
        new Case("removeExact", new Compare(old, null), "true", List.of()),
        new Case("swap", new Swap(1, 1, value), "true", List.of("k=new")));
  }

  private static Outcome execute(HandReplica at, Command command, Operation operation) {
    return (Outcome)
        at.replica.execute(
            () -> true,
            at.replica.state().epoch(),
            command,
            HandReplica.hash("k"),
            KEY.bytes(),
            KEY.offset(),
            KEY.length(),
            found -> Objects.requireNonNull(operation.decide(KEY, found)));
  }

  private void loadOld(HandReplica... backups) {
    Outcome.Written load =
        (Outcome.Written) execute(a, c.command(1, 1), new Put(Slice.of(bytes("old")), true));
    for (HandReplica backup : backups) {
      send(load, backup);
    }
  }

  private static String text(Result result) {
    return result.hasValue() || result == Result.ABSENT
        ? HandReplica.text(result)
        : String.valueOf(result.isTrue());
  }

  /** What is held, tombstones left out: whether they are still kept is another matter. */
  private static List<String> live(HandReplica replica) {
    return replica.contents().stream().filter(entry -> !entry.endsWith("-")).toList();
  }

  private static void assertAnswers(Outcome outcome, String answer) {
    assertThat(outcome)
        .isInstanceOfSatisfying(
            Outcome.Answer.class, told -> assertThat(text(told.result())).isEqualTo(answer));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void thePrimaryCrashesAndABackupThatHasTheWriteFollows(Case one) {
    open(ownership(1, a, b), a, b);
    loadOld(b);
    Command command = a.command(7, 7);
    Outcome.Written write = (Outcome.Written) execute(a, command, one.operation());
    send(write, b);
    open(ownership(2, b), b);
    assertAnswers(execute(b, command, one.operation()), one.answer());
    assertThat(live(b)).isEqualTo(one.after());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void thePrimaryCrashesBeforeAnybodyHasTheWrite(Case one) {
    open(ownership(1, a, b), a, b);
    loadOld(b);
    Command command = a.command(7, 7);
    execute(a, command, one.operation());
    open(ownership(2, b), b);
    // Nobody was told anything: it is done now, and once.
    assertThat(execute(b, command, one.operation()))
        .isInstanceOfSatisfying(
            Outcome.Written.class,
            write -> assertThat(text(write.item().result())).isEqualTo(one.answer()));
    assertAnswers(execute(b, command, one.operation()), one.answer());
    assertThat(live(b)).isEqualTo(one.after());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theBackupBecomesPrimaryAndThePrimaryBackupAmidTheWrite(Case one) {
    open(ownership(1, a, b), a, b);
    loadOld(b);
    Command command = a.command(7, 7);
    Outcome.Written write = (Outcome.Written) execute(a, command, one.operation());
    open(ownership(2, b, a), a, b);
    assertThat(b.replica.replicated(1, 0, List.of())).as("sent in the old epoch").isNull();
    assertAnswers(execute(b, command, one.operation()), one.answer());
    assertThat(execute(a, command, one.operation()))
        .as("it may not say that nothing was written")
        .isInstanceOf(Outcome.Forgotten.class);
    assertThat(live(a)).isEqualTo(one.after());
    assertThat(live(b)).isEqualTo(one.after());
    assertThat(write.item().entry().epoch()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void thePrimaryOwnsNothingAnyMoreAmidTheWrite(Case one) {
    open(ownership(1, a, b), a, b);
    loadOld(b);
    Command command = a.command(7, 7);
    send((Outcome.Written) execute(a, command, one.operation()), b);
    a.enter(ownership(2, b));
    open(ownership(2, b), b);
    assertThat(execute(a, command, one.operation())).isInstanceOf(Outcome.Refused.class);
    assertThat(a.contents()).isEmpty();
    assertAnswers(execute(b, command, one.operation()), one.answer());
    assertThat(live(b)).isEqualTo(one.after());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aJoinerBecomesPrimaryAmidTheWrite(Case one) {
    open(ownership(1, a), a);
    loadOld();
    Command command = c.command(7, 7);
    // The origin, c, joins: the write is made before, and comes to it by transfer.
    execute(a, command, one.operation());
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    Output sessions = new Output(64);
    a.replica.writeSessions(sessions);
    c.replica.mergeSessions(2, sessions.toInput());
    assertThat(transfer(a, c)).isEqualTo(Received.ADDED);
    open(ownership(3, c), c);
    assertAnswers(execute(c, command, one.operation()), one.answer());
    assertThat(live(c)).isEqualTo(one.after());
  }

  private static Received transfer(HandReplica from, HandReplica to) {
    List<Entry> entries = new ArrayList<>();
    from.replica
        .entries()
        .scan(
            Cursor.START,
            entry -> {
              entries.add(
                  new Entry(
                      entry.hash(),
                      entry.bytes(),
                      entry.keyLength(),
                      entry.epoch(),
                      entry.index(),
                      entry.tombstone()));
              return Visit.NEXT;
            });
    return to.replica.transferred(2, 0, entries, Cursor.END, -1);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aCommandThatWasGivenUpIsNotDoneByALateMessage(Case one) {
    open(ownership(1, a), a);
    loadOld();
    execute(a, a.command(9, 9), new PutIfAbsent(Slice.of(bytes("x"))));
    assertThat(execute(a, a.command(7, 7), one.operation())).isInstanceOf(Outcome.Ignored.class);
    assertThat(a.contents()).containsExactly("k=old");
  }

  @Test
  void whatAnEarlierPrimaryFoundNothingToDoForCountsNoMoreOnceAnotherHasDoneIt() {
    open(ownership(1, a, b), a, b);
    loadOld(b);
    Command command = c.command(7, 7);
    Operation operation = new PutIfAbsent(Slice.of(bytes("new")));
    assertAnswers(execute(a, command, operation), "old");
    // It is told to nobody; the next primary finds the key removed.
    open(ownership(2, b, a), a, b);
    send((Outcome.Written) execute(b, c.command(8, 7), new Remove(false)), a);
    send((Outcome.Written) execute(b, command, operation), a);
    open(ownership(3, a, b), a, b);
    assertAnswers(execute(a, command, operation), "-");
    assertThat(live(a)).containsExactly("k=new");
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aTryThatWasRefusedIsNotCarriedOutWhenItsMessageComesAgain(Case one) {
    open(ownership(1, a), a);
    loadOld();
    Command first = a.command(7, 7);
    assertThat(a.replica.refuse(1, first)).isInstanceOf(Outcome.Refused.class);
    assertThat(execute(a, first, one.operation())).isInstanceOf(Outcome.Ignored.class);
    assertThat(a.contents()).containsExactly("k=old");
    Command second = new Command(first.session(), 7, 7, first.request(), 2);
    assertThat(execute(a, second, one.operation())).isInstanceOf(Outcome.Written.class);
    assertThat(live(a)).isEqualTo(one.after());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void whoMayHaveCarriedATryOutDoesNotSayThatItDidNot(Case one) {
    open(ownership(1, a, b), a, b);
    loadOld(b);
    Command command = a.command(7, 7);
    send((Outcome.Written) execute(a, command, one.operation()), b);
    assertThat(a.replica.refuse(1, command)).isInstanceOf(Outcome.Forgotten.class);
    open(ownership(2, b), b);
    a.enter(ownership(2, b));
    // The message comes a second time, and nothing is known here of the first any more.
    assertThat(a.replica.refuse(1, command)).isInstanceOf(Outcome.Forgotten.class);
    a.clientIsPresent(false);
    assertThat(a.replica.refuse(2, command)).isInstanceOf(Outcome.Forgotten.class);
  }

  @Test
  void ofTwoThatPutTheSameIfAbsentExactlyOneWinsThoughOneIsTriedAgain() {
    open(ownership(1, a, b), a, b);
    Operation same = new PutIfAbsent(Slice.of(bytes("v")));
    Command first = a.command(1, 1);
    Command second = b.command(1, 1);
    Outcome.Written won = (Outcome.Written) execute(a, first, same);
    assertAnswers(execute(a, second, same), "v");
    send(won, b);
    open(ownership(2, b), b);
    assertAnswers(execute(b, first, same), "-");
    assertAnswers(execute(b, second, same), "v");
    assertThat(b.contents()).containsExactly("k=v");
  }
}
