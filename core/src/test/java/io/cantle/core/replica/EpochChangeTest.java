package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static io.cantle.core.replica.ManualReplica.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.LocalRead.Status;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests the change from one epoch of a segment to the next: logs, sessions, joiners, tombstones.
 */
final class EpochChangeTest {
  private final ManualReplica a = new ManualReplica("a");
  private final ManualReplica b = new ManualReplica("b");
  private final ManualReplica c = new ManualReplica("c");

  @Test
  void newPrimaryTakesLongestLogAndSendsMissingWrites() {
    ManualReplica d = new ManualReplica("d");
    open(ownership(1, a, b, c, d), a, b, c, d);
    List<CommandOutcome.Written> writes =
        List.of(a.written("k", "1"), a.written("l", "2"), a.written("m", "3"));
    send(writes.get(0), b);
    writes.forEach(write -> send(write, c));
    // a crashes. The writes that c has and b and d lack may have been acknowledged, so they must
    // not be lost.
    open(ownership(2, b, c, d), b, c, d);
    assertThat(b.contents()).containsExactly("k=1", "l=2", "m=3");
    assertThat(c.contents()).isEqualTo(b.contents());
    assertThat(d.contents()).isEqualTo(b.contents());
    assertThat(b.peek("m").status())
        .as("the entry is of an earlier epoch, so all owners hold it")
        .isEqualTo(Status.CLEAN);
  }

  @Test
  void upToDateReplicaIsSentNothing() {
    open(ownership(1, a, b, c), a, b, c);
    CommandOutcome.Written write = a.written("k", "1");
    send(write, b);
    send(write, c);
    b.enter(ownership(2, b, c));
    c.enter(ownership(2, b, c));
    ReplicaLogSummary summary = c.replica.summarizeLog(1, 1);
    assertThat(summary).isEqualTo(new ReplicaLogSummary(1, 1, 1, List.of(), -1));
    assertThat(b.replica.takeOverLog(2, Map.of(c.self, summary))).isEmpty();
  }

  @Test
  void summaryContainsOnlyTheRequestedSuffix() {
    open(ownership(1, a, b), a, b);
    for (int i = 1; i <= 4; i++) {
      send(a.written("k" + i, "v"), b);
    }
    assertThat(b.replica.summarizeLog(1, 2).writes())
        .extracting(OrderedWrite::index)
        .containsExactly(3L, 4L);
    assertThat(b.replica.summarizeLog(0, 9).writes()).hasSize(4);
    assertThat(b.replica.summarizeLog(2, 0).writes()).isEmpty();
    a.replica.onAck(b.self, 1, 2);
    assertThat(a.replica.summarizeLog(0, 0).writes())
        .extracting(OrderedWrite::index)
        .containsExactly(3L, 4L);
  }

  @Test
  void primaryThatMissedAnEpochTakesItFromOthers() {
    open(ownership(1, a, b, c), a, b, c);
    CommandOutcome.Written early = a.written("old", "1");
    send(early, b);
    send(early, c);
    // Epoch 2 is served, but c learns of it only by entering it.
    open(ownership(2, a, b, c), a, b, c);
    send(a.written("k", "2"), b);
    open(ownership(3, c, b), b, c);
    assertThat(c.contents()).containsExactly("k=2", "old=1");
    assertThat(b.contents()).isEqualTo(c.contents());
  }

  @Test
  void earlyWritesAreDroppedWithTheirEpoch() {
    open(ownership(1, a, b), a, b);
    a.written("k", "lost");
    CommandOutcome.Written second = a.written("l", "lost");
    send(second, b);
    open(ownership(2, b), b);
    CommandOutcome.Written own = b.written("m", "1");
    assertThat(own.write().index()).isEqualTo(1);
    assertThat(b.contents()).containsExactly("m=1");
  }

  @Test
  void takeOverAndFillOfAnotherEpochAreIgnored() {
    open(ownership(1, a, b), a, b);
    CommandOutcome.Written write = a.written("k", "1");
    b.enter(ownership(2, b, a));
    ReplicaLogSummary longer =
        new ReplicaLogSummary(1, 1, 1, ManualReplica.throughTheWire(List.of(write.write())), -1);
    assertThat(b.replica.takeOverLog(1, Map.of(a.self, longer))).isEmpty();
    assertThat(b.contents()).isEmpty();
    assertThat(b.replica.fillLog(1, 1, ManualReplica.throughTheWire(List.of(write.write()))))
        .isFalse();
    assertThat(b.replica.fillLog(2, 1, ManualReplica.throughTheWire(List.of(write.write()))))
        .isTrue();
    assertThat(b.contents()).containsExactly("k=1");
    assertThat(b.replica.fillLog(2, 1, ManualReplica.throughTheWire(List.of(write.write()))))
        .as("told twice")
        .isTrue();
    assertThat(b.replica.summarizeLog(0, 0).applied()).isEqualTo(1);
  }

  @Test
  void fillAfterServingChangesNothing() {
    open(ownership(1, a, b), a, b);
    CommandOutcome.Written write = a.written("k", "1");
    open(ownership(2, b, a), b);
    b.written("k", "2");
    assertThat(b.replica.fillLog(2, 1, ManualReplica.throughTheWire(List.of(write.write()))))
        .isTrue();
    assertThat(b.contents()).containsExactly("k=2");
  }

  @Test
  void nextPrimaryKnowsEarlierCommands() {
    open(ownership(1, a, b), a, b);
    a.written("k", "0");
    CommandId command = a.command(70, 60);
    CommandOutcome.Written write = (CommandOutcome.Written) a.put(command, "k", "1");
    open(ownership(2, b, a), a, b);
    // b had neither write; it received both, each with its command id and its result.
    CommandOutcome.ResultOnly again = (CommandOutcome.ResultOnly) b.put(command, "k", "1");
    assertThat(text(again.result())).isEqualTo("0").isEqualTo(text(write.write().result()));
    assertThat(again.index())
        .as("the write is of an earlier epoch, so there is no commit to wait for")
        .isZero();
    assertThat(b.contents()).containsExactly("k=1");
  }

  @Test
  void commandLostWithItsPrimaryIsExecutedAgain() {
    open(ownership(1, a, b), a, b);
    CommandId command = a.command(7, 7);
    a.put(command, "k", "1");
    open(ownership(2, b), b);
    assertThat(b.contents()).isEmpty();
    assertThat(b.put(command, "k", "1")).isInstanceOf(CommandOutcome.Written.class);
  }

  @Test
  void joinerAppliesWritesAndFetchesTheRest() {
    open(ownership(1, a), a);
    a.written("old", "1");
    a.written("both", "1");
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    assertThat(c.replica.transfer().cursor(2)).isEqualTo(SegmentCursor.START);
    send(a.written("both", "2"), c);
    assertThat(
            c.transferred(
                2,
                0,
                List.of(
                    ManualReplica.entry("old", "1", 1, 1), ManualReplica.entry("both", "1", 1, 2)),
                SegmentCursor.END))
        .isTrue();
    assertThat(c.contents()).containsExactly("both=2", "old=1");
    assertThat(c.peek("old").status()).as("a joiner answers no reads").isEqualTo(Status.REFUSED);
  }

  @Test
  void transferContinuesInTheNextEpochOfTheSameJoin() {
    open(ownership(1, a, b), a, b);
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    SegmentCursor half = SegmentCursor.after(ManualReplica.entry("k", "1", 1, 1));
    assertThat(c.transferred(2, 0, List.of(ManualReplica.entry("k", "1", 1, 1)), half)).isTrue();
    open(ownership(3, List.of(b), List.of(c), 2), b, c);
    assertThat(c.replica.transfer().cursor(2)).isNull();
    assertThat(c.replica.transfer().cursor(3)).isEqualTo(half);
    assertThat(c.contents()).containsExactly("k=1");
    assertThat(c.transferred(2, 0, List.of(), SegmentCursor.END))
        .as("the transfer is of the old epoch")
        .isFalse();
    assertThat(c.replica.transfer().cursor(3)).isEqualTo(half);
  }

  @Test
  void restartedJoinStartsFromNothing() {
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    send(a.written("k", "1"), c);
    assertThat(c.transferred(2, 0, List.of(), SegmentCursor.END)).isTrue();
    open(ownership(4, List.of(a), List.of(c), 4), a, c);
    assertThat(c.replica.transfer().cursor(4)).isEqualTo(SegmentCursor.START);
    assertThat(c.contents()).isEmpty();
    assertThat(c.replica.summarizeLog(0, 0))
        .isEqualTo(new ReplicaLogSummary(4, 0, 0, List.of(), -1));
  }

  @Test
  void replicaWithoutARoleDropsItsData() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    b.enter(ownership(2, a));
    assertThat(b.contents()).isEmpty();
    assertThat(b.replica.summarizeLog(0, 0))
        .isEqualTo(new ReplicaLogSummary(0, 0, 0, List.of(), -1));
    assertThat(b.replica.transfer().cursor(2)).isNull();
  }

  @Test
  void joinerBecomesOwnerWithoutLosingEntries() {
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    send(a.written("k", "1"), c);
    assertThat(
            c.transferred(2, 0, List.of(ManualReplica.entry("old", "1", 1, 1)), SegmentCursor.END))
        .isTrue();
    open(ownership(3, c, a), a, c);
    assertThat(c.contents()).containsExactly("k=1", "old=1");
    assertThat(c.replica.summarizeLog(0, 0).sinceEpoch()).isEqualTo(2);
    assertThat(c.peek("old").status()).isEqualTo(Status.CLEAN);
    assertThat(c.transferred(3, 0, List.of(), SegmentCursor.END)).isFalse();
  }

  @Test
  void joinerIsNotSentLogsFromBeforeItsJoin() {
    open(ownership(1, a, b), a, b);
    CommandOutcome.Written write = a.written("k", "1");
    send(write, b);
    var next = ownership(2, List.of(b), List.of(c), 2);
    b.enter(next);
    c.enter(next);
    assertThat(b.replica.takeOverLog(2, Map.of(c.self, c.replica.summarizeLog(1, 1)))).isEmpty();
  }

  @Test
  void joinerIsSentWritesItMissedSinceItsJoin() {
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    send(a.written("k", "1"), b);
    open(ownership(3, List.of(b), List.of(c), 2), b, c);
    assertThat(c.contents()).containsExactly("k=1");
  }

  @Test
  void keyRemovedDuringAJoinStaysRemoved() {
    open(ownership(1, a), a);
    a.written("k", "1");
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    send((CommandOutcome.Written) a.remove("k"), c);
    a.replica.onAck(c.self, 2, 1);
    assertThat(a.contents()).as("the tombstone is kept while c joins").containsExactly("k-");
    assertThat(c.replica.applyCommitIndex(2, 1)).isTrue();
    assertThat(c.transferred(2, 0, List.of(ManualReplica.entry("k", "1", 1, 1)), SegmentCursor.END))
        .isTrue();
    assertThat(c.contents()).containsExactly("k-");

    open(ownership(3, c, a), a, c);
    assertThat(c.contents()).as("the tombstone is purged when no node joins").isEmpty();
    assertThat(a.replica.applyCommitIndex(3, 0)).isTrue();
    assertThat(a.contents()).isEmpty();
  }

  @Test
  void joinerReceivesCommandResults() {
    open(ownership(1, a), a);
    a.written("k", "0");
    CommandId command = a.command(70, 60);
    a.put(command, "k", "1");
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    Output out = new Output(64);
    a.replica.transfer().writeSessions(out);
    assertThat(c.replica.transfer().mergeSessions(1, out.toInput())).isFalse();
    assertThat(c.replica.transfer().mergeSessions(2, out.toInput())).isTrue();
    assertThat(c.transferred(2, 0, List.of(ManualReplica.entry("k", "1", 1, 2)), SegmentCursor.END))
        .isTrue();
    open(ownership(3, c), c);
    assertThat(text(((CommandOutcome.ResultOnly) c.put(command, "k", "1")).result()))
        .isEqualTo("0");
    c.replica.retainSessions(new LiveSessions(id -> false, 3));
    assertThat(c.put(command, "k", "1")).isInstanceOf(CommandOutcome.Forgotten.class);
  }

  @Test
  void countAndScanNoticeTheEndOfTheEpoch() {
    open(ownership(1, a, b), a, b);
    ReplicaState before = a.replica.state();
    assertThat(before.isSameAs(a.replica.state())).isTrue();
    a.enter(ownership(2, a, b));
    assertThat(before.isSameAs(a.replica.state())).isFalse();
    ReplicaState entered = a.replica.state();
    a.replica.serveEpoch(2);
    assertThat(entered.isSameAs(a.replica.state())).isFalse();
  }

  @Test
  void earlyWriteDoesNotEnterTheNextEpoch() {
    ManualReplica lone = new ManualReplica("lone");
    ManualReplica backup = new ManualReplica("backup");
    open(ownership(1, lone, backup), lone, backup);
    lone.written("k", "lost");
    send(lone.written("l", "lost"), backup);
    ManualReplica next = new ManualReplica("next");
    next.enter(ownership(1, lone, backup, next));
    open(ownership(2, next, backup), next, backup);
    send(next.written("m", "1"), backup);
    assertThat(backup.contents()).containsExactly("m=1");
    assertThat(backup.replica.summarizeLog(0, 0).applied()).isEqualTo(1);
  }

  @Test
  void transferredEntriesWaitForWritesThePrimaryOmitted() {
    open(ownership(1, a), a);
    a.written("k", "1");
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    CommandOutcome.Written write = a.written("k", "2");
    assertThat(a.replica.progress().appliedAsPrimary(2)).isEqualTo(1);
    assertThat(a.replica.progress().appliedAsPrimary(1)).isEqualTo(-1);
    // The primary left k out, for a write replaced it that c does not have yet.
    assertThat(c.replica.transfer().apply(2, 1, List.of(), SegmentCursor.END, -1))
        .isEqualTo(TransferResult.NOT_YET);
    assertThat(c.replica.transfer().cursor(2)).isEqualTo(SegmentCursor.START);
    send(write, c);
    assertThat(c.transferred(2, 1, List.of(), SegmentCursor.END)).isTrue();
    assertThat(c.replica.transfer().cursor(2)).isEqualTo(SegmentCursor.END);
    assertThat(c.replica.transfer().apply(1, 1, List.of(), SegmentCursor.END, -1))
        .isEqualTo(TransferResult.REFUSED);
    assertThat(c.replica.progress().appliedAsPrimary(2)).as("no primary").isEqualTo(-1);
  }
}
