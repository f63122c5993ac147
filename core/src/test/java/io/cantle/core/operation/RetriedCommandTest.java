package io.cantle.core.operation;

import static io.cantle.core.replica.ManualReplica.bytes;
import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.operation.Operation.CompareAndSet;
import io.cantle.core.operation.Operation.CompareVersionAndSet;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.PutIfAbsent;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.operation.Operation.Replace;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.TransferResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a retried command has one effect. A caller without an answer sends the same command
 * again, to the present primary. Whatever the operation, and whatever became of the segment
 * meanwhile, the command takes effect once, and every answer is that of the first time.
 */
final class RetriedCommandTest {
  private static final ByteSlice KEY = ByteSlice.of(bytes("k"));

  private final ManualReplica a = new ManualReplica("a");
  private final ManualReplica b = new ManualReplica("b");
  private final ManualReplica c = new ManualReplica("c");

  /** An operation on a key that holds "old", its answer, and what the replica holds afterwards. */
  record Case(String name, Operation operation, String answer, List<String> after) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    ByteSlice value = ByteSlice.of(bytes("new"));
    ByteSlice old = ByteSlice.of(bytes("old"));
    return Stream.of(
        new Case("put", new Put(value, false), "old", List.of("k=new")),
        new Case("remove", new RemoveEntry(false), "old", List.of()),
        new Case("replace", new Replace(value), "old", List.of("k=new")),
        new Case("replaceExact", new CompareAndSet(old, value), "true", List.of("k=new")),
        new Case("removeExact", new CompareAndSet(old, null), "true", List.of()),
        new Case(
            "swap", new CompareVersionAndSet(new Version(1, 1), value), "true", List.of("k=new")));
  }

  private static CommandOutcome execute(ManualReplica at, CommandId command, Operation operation) {
    return (CommandOutcome)
        at.replica.execute(
            () -> true,
            at.replica.state().epoch(),
            command,
            ManualReplica.hash("k"),
            KEY.bytes(),
            KEY.offset(),
            KEY.length(),
            found -> Objects.requireNonNull(operation.decide(KEY, found)));
  }

  private void loadOld(ManualReplica... backups) {
    CommandOutcome.Written load =
        (CommandOutcome.Written)
            execute(a, c.command(1, 1), new Put(ByteSlice.of(bytes("old")), true));
    for (ManualReplica backup : backups) {
      send(load, backup);
    }
  }

  /** Has the primary, a, execute a command while it has a backup, b, which holds "old" too. */
  private CommandOutcome.Written executeWithBackup(CommandId command, Case one) {
    open(ownership(1, a, b), a, b);
    loadOld(b);
    return (CommandOutcome.Written) execute(a, command, one.operation());
  }

  private static String text(OperationResult result) {
    return result.hasValue() || result.equals(OperationResult.ABSENT)
        ? ManualReplica.text(result)
        : String.valueOf(result.isTrue());
  }

  /** The live entries; whether tombstones are still kept does not matter here. */
  private static List<String> live(ManualReplica replica) {
    return replica.contents().stream().filter(entry -> !entry.endsWith("-")).toList();
  }

  private static void assertAnswers(CommandOutcome outcome, String answer) {
    assertThat(outcome)
        .isInstanceOfSatisfying(
            CommandOutcome.ResultOnly.class,
            told -> assertThat(text(told.result())).isEqualTo(answer));
  }

  /** Retries a command: the answer is that of the first time, and the entries are as after it. */
  private static void assertAnsweredOnce(ManualReplica at, CommandId command, Case one) {
    assertAnswers(execute(at, command, one.operation()), one.answer());
    assertThat(live(at)).isEqualTo(one.after());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void primaryCrashesAndABackupWithTheWriteTakesOver(Case one) {
    CommandId command = a.command(7, 7);
    send(executeWithBackup(command, one), b);
    open(ownership(2, b), b);
    assertAnsweredOnce(b, command, one);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void primaryCrashesBeforeReplicating(Case one) {
    CommandId command = a.command(7, 7);
    executeWithBackup(command, one);
    open(ownership(2, b), b);
    // No caller has had an answer, so the command is executed now, and once.
    assertThat(execute(b, command, one.operation()))
        .isInstanceOfSatisfying(
            CommandOutcome.Written.class,
            write -> assertThat(text(write.write().result())).isEqualTo(one.answer()));
    assertAnsweredOnce(b, command, one);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void primaryAndBackupSwapDuringTheWrite(Case one) {
    CommandId command = a.command(7, 7);
    CommandOutcome.Written write = executeWithBackup(command, one);
    open(ownership(2, b, a), a, b);
    assertThat(b.replica.applyCommitIndex(1, 0)).as("the message is of the old epoch").isFalse();
    assertAnsweredOnce(b, command, one);
    assertThat(execute(a, command, one.operation()))
        .as("the reply may not say that nothing was written")
        .isInstanceOf(CommandOutcome.Forgotten.class);
    assertThat(live(a)).isEqualTo(one.after());
    assertThat(write.write().entry().epoch()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void primaryLosesOwnershipDuringTheWrite(Case one) {
    CommandId command = a.command(7, 7);
    send(executeWithBackup(command, one), b);
    a.enter(ownership(2, b));
    open(ownership(2, b), b);
    assertThat(execute(a, command, one.operation())).isInstanceOf(CommandOutcome.Refused.class);
    assertThat(a.contents()).isEmpty();
    assertAnsweredOnce(b, command, one);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void joinerBecomesPrimaryDuringTheWrite(Case one) {
    open(ownership(1, a), a);
    loadOld();
    CommandId command = c.command(7, 7);
    // The origin, c, joins: the write was made before, and c receives it by transfer.
    execute(a, command, one.operation());
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    Output sessions = new Output(64);
    a.replica.transfer().writeSessions(sessions);
    c.replica.transfer().mergeSessions(2, sessions.toInput());
    assertThat(transfer(a, c)).isEqualTo(TransferResult.ADDED);
    open(ownership(3, c), c);
    assertAnsweredOnce(c, command, one);
  }

  private static TransferResult transfer(ManualReplica from, ManualReplica to) {
    List<Entry> entries = new ArrayList<>();
    from.replica
        .entries()
        .scan(
            SegmentCursor.START,
            entry -> {
              entries.add(
                  Entry.of(
                      entry.hash(),
                      entry.bytes(),
                      entry.keyLength(),
                      entry.epoch(),
                      entry.index(),
                      entry.isTombstone(),
                      0,
                      null));
              return VisitResult.CONTINUE;
            });
    return to.replica.transfer().apply(2, 0, entries, SegmentCursor.END, -1);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void abandonedCommandIsNotExecutedByALateMessage(Case one) {
    open(ownership(1, a), a);
    loadOld();
    execute(a, a.command(9, 9), new PutIfAbsent(ByteSlice.of(bytes("x"))));
    assertThat(execute(a, a.command(7, 7), one.operation()))
        .isInstanceOf(CommandOutcome.Ignored.class);
    assertThat(a.contents()).containsExactly("k=old");
  }

  @Test
  void noOpResultIsSupersededOnceANewPrimaryHasWritten() {
    open(ownership(1, a, b), a, b);
    loadOld(b);
    CommandId command = c.command(7, 7);
    Operation operation = new PutIfAbsent(ByteSlice.of(bytes("new")));
    assertAnswers(execute(a, command, operation), "old");
    // The answer reaches no caller; the next primary finds the key removed.
    open(ownership(2, b, a), a, b);
    send((CommandOutcome.Written) execute(b, c.command(8, 7), new RemoveEntry(false)), a);
    send((CommandOutcome.Written) execute(b, command, operation), a);
    open(ownership(3, a, b), a, b);
    assertAnswers(execute(a, command, operation), "-");
    assertThat(live(a)).containsExactly("k=new");
  }

  @ParameterizedTest
  @MethodSource("cases")
  void refusedAttemptIsNotExecutedByADuplicateMessage(Case one) {
    open(ownership(1, a), a);
    loadOld();
    CommandId first = a.command(7, 7);
    assertThat(a.replica.refuse(1, first)).isInstanceOf(CommandOutcome.Refused.class);
    assertThat(execute(a, first, one.operation())).isInstanceOf(CommandOutcome.Ignored.class);
    assertThat(a.contents()).containsExactly("k=old");
    CommandId second = new CommandId(first.session(), 7, 7, first.requestId(), 2);
    assertThat(execute(a, second, one.operation())).isInstanceOf(CommandOutcome.Written.class);
    assertThat(live(a)).isEqualTo(one.after());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void possiblyExecutedAttemptIsNotReportedAsRefused(Case one) {
    CommandId command = a.command(7, 7);
    send(executeWithBackup(command, one), b);
    assertThat(a.replica.refuse(1, command)).isInstanceOf(CommandOutcome.Forgotten.class);
    open(ownership(2, b), b);
    a.enter(ownership(2, b));
    // The message arrives a second time, and nothing is known here of the first one any more.
    assertThat(a.replica.refuse(1, command)).isInstanceOf(CommandOutcome.Forgotten.class);
    a.registerClient(false);
    assertThat(a.replica.refuse(2, command)).isInstanceOf(CommandOutcome.Forgotten.class);
  }

  @Test
  void exactlyOneOfTwoPutIfAbsentWinsDespiteARetry() {
    open(ownership(1, a, b), a, b);
    Operation same = new PutIfAbsent(ByteSlice.of(bytes("v")));
    CommandId first = a.command(1, 1);
    CommandId second = b.command(1, 1);
    CommandOutcome.Written won = (CommandOutcome.Written) execute(a, first, same);
    assertAnswers(execute(a, second, same), "v");
    send(won, b);
    open(ownership(2, b), b);
    assertAnswers(execute(b, first, same), "-");
    assertAnswers(execute(b, second, same), "v");
    assertThat(b.contents()).containsExactly("k=v");
  }
}
