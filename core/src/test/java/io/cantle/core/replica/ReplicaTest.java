package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.read;
import static io.cantle.core.replica.ManualReplica.send;
import static io.cantle.core.replica.ManualReplica.text;
import static io.cantle.core.replica.ManualReplica.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.container.Entry;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.replica.LocalRead.Status;
import io.cantle.core.replica.ReplicationBatch.SegmentWrite;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests one epoch of a segment: a primary, its backups, and what may be read when. */
final class ReplicaTest {
  private final ManualReplica a = new ManualReplica("a");
  private final ManualReplica b = new ManualReplica("b");
  private final ManualReplica c = new ManualReplica("c");
  private final List<String> events = new ArrayList<>();

  @Test
  void rolesFollowTheOwnership() {
    ManualReplica d = new ManualReplica("d");
    var ownership = ownership(4, List.of(a, b), List.of(c), 2);
    for (ManualReplica one : List.of(a, b, c, d)) {
      assertThat(one.enter(ownership)).isTrue();
      assertThat(one.enter(ownership)).as("twice").isFalse();
      assertThat(one.enter(ownership(3, d))).as("an earlier epoch").isFalse();
      assertThat(one.replica.state().epoch()).isEqualTo(4);
      assertThat(one.replica.state().isServing()).isFalse();
      assertThat(one.replica.state().isSteady()).isFalse();
    }
    assertThat(a.replica.state().role()).isEqualTo(ReplicaRole.PRIMARY);
    assertThat(a.replica.state().others()).containsExactly(b.self, c.self);
    assertThat(a.replica.state().backupCount()).isEqualTo(1);
    assertThat(b.replica.state().role()).isEqualTo(ReplicaRole.BACKUP);
    assertThat(b.replica.state().others()).isEmpty();
    assertThat(c.replica.state().role()).isEqualTo(ReplicaRole.JOINER);
    assertThat(d.replica.state().role()).isEqualTo(ReplicaRole.NONE);
  }

  @Test
  void nothingIsReadableBeforeTheEpochIsServed() {
    a.enter(ownership(1, a, b));
    assertThat(a.put("k", "v")).isInstanceOf(CommandOutcome.Refused.class);
    assertThat(a.peek("k").status()).isEqualTo(Status.REFUSED);
    assertThat(a.replica.countLive()).isNull();
    assertThat(a.replica.serveEpoch(2)).isFalse();
    assertThat(a.replica.serveEpoch(1)).isTrue();
    assertThat(a.put("k", "v")).isInstanceOf(CommandOutcome.Written.class);
  }

  @Test
  void onlyThePrimaryServesAndExecutes() {
    open(ownership(1, a, b), a, b);
    assertThat(b.replica.serveEpoch(1)).isFalse();
    assertThat(b.put("k", "v")).isInstanceOf(CommandOutcome.Refused.class);
    assertThat(a.replica.applyCommitIndex(1, 0)).isFalse();
  }

  @Test
  void commandOfAnotherEpochIsRefused() {
    open(ownership(3, a), a);
    byte[] key = ManualReplica.bytes("k");
    for (int epoch : new int[] {2, 4}) {
      assertThat(
              a.replica.execute(
                  () -> true,
                  epoch,
                  a.nextCommand(),
                  1,
                  key,
                  0,
                  1,
                  found -> CommandEffect.none(OperationResult.TRUE)))
          .as("it may have been executed while that epoch was the present one")
          .isInstanceOf(CommandOutcome.Forgotten.class);
    }
  }

  @Test
  void soleOwnerCommitsAtOnce() {
    open(ownership(1, a), a);
    CommandOutcome.Written written = a.written("k", "v");
    assertThat(written.committed()).isEqualTo(1);
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(value(found(a, "k"))).isEqualTo("v");
  }

  @Test
  void writesGetConsecutiveIndexes() {
    open(ownership(1, a, b), a, b);
    for (int i = 1; i <= 5; i++) {
      assertThat(a.written("k" + i % 2, "v" + i).write().index()).isEqualTo(i);
    }
    assertThat(a.replica.summarizeLog(0, 0).applied()).isEqualTo(5);
  }

  @Test
  void writeCommitsOnceAllWritersAcknowledgedIt() {
    open(ownership(1, a, b, c), a, b, c);
    a.written("k", "1");
    a.written("l", "2");
    a.replica.notifyOnceCommitted(1, 1, isCommitted -> events.add(isCommitted ? "one" : "refused"));
    a.replica.notifyOnceCommitted(1, 2, isCommitted -> events.add(isCommitted ? "two" : "refused"));

    a.replica.onAck(b.self, 1, 2);
    a.replica.performEffects();
    assertThat(events).isEmpty();
    a.replica.onAck(c.self, 1, 1);
    a.replica.performEffects();
    assertThat(events).containsExactly("one");
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(a.peek("l").status()).isEqualTo(Status.DIRTY);
    a.replica.onAck(c.self, 1, 2);
    a.replica.performEffects();
    assertThat(events).containsExactly("one", "two");
    a.replica.notifyOnceCommitted(
        1, 2, isCommitted -> events.add(isCommitted ? "at once" : "refused"));
    a.replica.performEffects();
    assertThat(events).containsExactly("one", "two", "at once");
  }

  @Test
  void listenersAreToldInTheOrderOfTheSteps() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    a.replica.notifyOnceCommitted(1, 1, isCommitted -> events.add("before the commit"));
    a.replica.onAck(b.self, 1, 1);
    // The caller of the step that commits the write has not performed its effects yet.
    a.replica.notifyOnceCommitted(1, 1, isCommitted -> events.add("after the commit"));
    a.replica.notifyOnceCommitted(2, 1, isCommitted -> events.add("in another epoch"));
    assertThat(events).isEmpty();
    a.replica.performEffects();
    assertThat(events).containsExactly("before the commit", "after the commit", "in another epoch");
  }

  @Test
  void strayAndOutdatedAcknowledgementsAreIgnored() {
    open(ownership(2, a, b), a, b);
    a.written("k", "1");
    a.replica.onAck(c.self, 2, 1);
    a.replica.onAck(b.self, 1, 1);
    a.replica.onAck(b.self, 3, 1);
    assertThat(a.peek("k").status()).isEqualTo(Status.DIRTY);
    a.replica.onAck(b.self, 2, 1);
    a.replica.onAck(b.self, 2, 0);
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
  }

  @Test
  void commitWaiterIsRefusedWhenTheEpochEnds() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    a.replica.notifyOnceCommitted(
        1, 1, isCommitted -> events.add(isCommitted ? "then" : "refused"));
    a.enter(ownership(2, a));
    assertThat(events).containsExactly("refused");
    a.replica.notifyOnceCommitted(1, 0, isCommitted -> events.add(isCommitted ? "then" : "late"));
    a.replica.performEffects();
    assertThat(events).containsExactly("refused", "late");
  }

  @Test
  void backupAppliesWritesInIndexOrder() {
    Random random = new Random(3);
    open(ownership(1, a, b), a, b);
    List<CommandOutcome.Written> writes = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      writes.add(
          random.nextInt(4) == 0
                  && a.readValue("k" + i % 7) instanceof CommandOutcome.ResultOnly answer
                  && answer.result().hasValue()
              ? (CommandOutcome.Written) a.remove("k" + i % 7)
              : a.written("k" + i % 7, "v" + i));
    }
    List<CommandOutcome.Written> sent = new ArrayList<>(writes);
    sent.addAll(writes.subList(10, 30));
    java.util.Collections.shuffle(sent, random);
    List<Long> order = new ArrayList<>();
    for (CommandOutcome.Written write : sent) {
      ApplyResult taken = send(write, b, 0);
      taken.writes().forEach(item -> order.add(item.write().index()));
      assertThat(taken.applied()).isEqualTo(order.size());
    }
    assertThat(order).hasSize(60).isSorted();
    assertThat(b.contents()).isEqualTo(a.contents());
  }

  @Test
  void backupLooksUpThePreviousValueAndJoinerIsSentIt() {
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    CommandOutcome.Written first = a.written("k", "old");
    CommandOutcome.Written second = a.written("k", "new");
    send(first, b);
    assertThat(read(second, b, 0).isResultPrevious()).isTrue();
    assertThat(text(result(send(second, b)))).isEqualTo("old");
    assertThat(read(second, c, 0).isResultPrevious()).isFalse();
    send(first, c);
    assertThat(text(result(send(second, c)))).isEqualTo("old");
  }

  @Test
  void backupAnswersFromCommittedEntries() {
    open(ownership(1, a, b), a, b);
    assertThat(b.peek("k").status())
        .as("the epoch is not known to be served")
        .isEqualTo(Status.REFUSED);
    CommandOutcome.Written first = a.written("k", "1");
    send(first, b);
    assertThat(b.peek("k").status()).isEqualTo(Status.DIRTY);
    assertThat(b.peek("other").status()).isEqualTo(Status.CLEAN);
    a.replica.onAck(b.self, 1, 1);
    send(a.written("l", "2"), b);
    assertThat(b.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(b.peek("l").status()).isEqualTo(Status.DIRTY);
  }

  @Test
  void backupIgnoresCommitIndexBeyondItsAppliedIndex() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    CommandOutcome.Written second = a.written("l", "2");
    send(second, b, 2);
    assertThat(b.contents()).isEmpty();
    assertThat(b.replica.summarizeLog(0, 0).applied()).isZero();
  }

  @Test
  void commitNoticeAdvancesBackupWithoutAFurtherWrite() {
    open(ownership(1, a, b), a, b);
    assertThat(a.replica.progress().announceCommitIfNew()).isZero();
    assertThat(a.replica.progress().announceCommitIfNew()).isEqualTo(-1);
    send(a.written("k", "1"), b);
    assertThat(a.replica.progress().announceCommitIfNew())
        .as("nothing new is committed")
        .isEqualTo(-1);
    a.replica.onAck(b.self, 1, 1);
    assertThat(a.replica.progress().announceCommitIfNew()).isEqualTo(1);
    assertThat(a.replica.progress().announceCommitIfNew()).isEqualTo(-1);
    assertThat(b.replica.applyCommitIndex(1, 1)).isTrue();
    assertThat(b.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(b.replica.progress().announceCommitIfNew()).isEqualTo(-1);
  }

  @Test
  void commandWithoutEffectIsAnsweredFromTheEntryItSaw() {
    open(ownership(5, a, b), a, b);
    a.written("k", "1");
    CommandOutcome.ResultOnly look = (CommandOutcome.ResultOnly) a.readValue("k");
    assertThat(look.index()).isEqualTo(1);
    assertThat(text(look.result())).isEqualTo("1");
    assertThat(((CommandOutcome.ResultOnly) a.readValue("absent")).index()).isZero();
    a.remove("k");
    CommandOutcome.ResultOnly afterwards = (CommandOutcome.ResultOnly) a.readValue("k");
    assertThat(afterwards.result()).isSameAs(OperationResult.ABSENT);
    assertThat(afterwards.index()).as("the removal must be committed first").isEqualTo(2);
  }

  @Test
  void removedKeyIsAbsent() {
    open(ownership(1, a), a);
    a.written("k", "1");
    a.remove("k");
    assertThat(((CommandOutcome.ResultOnly) a.remove("k")).result())
        .isSameAs(OperationResult.ABSENT);
    assertThat(text(a.written("k", "2").write().result())).isEqualTo("-");
  }

  @Test
  void retriedCommandIsAnsweredWithoutBeingRepeated() {
    open(ownership(1, a, b), a, b);
    CommandId command = a.nextCommand();
    a.put(command, "k", "1");
    a.written("k", "2");
    CommandOutcome.ResultOnly again = (CommandOutcome.ResultOnly) a.put(command, "k", "1");
    assertThat(again.index()).isEqualTo(1);
    assertThat(text(again.result())).isEqualTo("-");
    assertThat(a.contents()).containsExactly("k=2");
  }

  @Test
  void abandonedCommandIsIgnored() {
    open(ownership(1, a), a);
    a.put(a.command(9, 5), "k", "1");
    assertThat(a.put(a.command(4, 1), "k", "2")).isInstanceOf(CommandOutcome.Ignored.class);
    assertThat(a.put(a.command(5, 1), "k", "3")).isInstanceOf(CommandOutcome.Written.class);
  }

  @Test
  void countsLiveEntriesAndNamesTheIndexItDependsOn() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    a.written("l", "1");
    a.remove("k");
    assertThat(a.replica.countLive()).isEqualTo(new LiveEntryCount(1, 1, 3, false));
    a.replica.onAck(b.self, 1, 3);
    assertThat(a.replica.countLive()).isEqualTo(new LiveEntryCount(1, 1, 3, true));
    assertThat(b.replica.countLive()).isNull();
  }

  @Test
  void tombstonesArePurgedOnceTheRemovalIsCommitted() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    CommandOutcome.Written removal = (CommandOutcome.Written) a.remove("k");
    send(removal, b);
    assertThat(a.contents()).containsExactly("k-");
    assertThat(b.contents()).containsExactly("k-");
    a.replica.onAck(b.self, 1, 2);
    assertThat(a.contents()).isEmpty();
    send(a.written("l", "1"), b);
    assertThat(b.contents()).containsExactly("l=1");
  }

  @Test
  void purgeKeepsAValueWrittenAfterTheRemoval() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    send((CommandOutcome.Written) a.remove("k"), b);
    send(a.written("k", "2"), b);
    a.replica.onAck(b.self, 1, 3);
    assertThat(b.replica.applyCommitIndex(1, 3)).isTrue();
    assertThat(a.contents()).containsExactly("k=2");
    assertThat(b.contents()).containsExactly("k=2");
  }

  @Test
  void writesOfAnotherEpochAreRefused() {
    open(ownership(1, a, b), a, b);
    CommandOutcome.Written old = a.written("k", "1");
    b.enter(ownership(2, b, a));
    assertThat(b.replica.applyReplicated(read(old, b, 0))).isNull();
    ManualReplica nobody = new ManualReplica("nobody");
    nobody.enter(ownership(1, a, b));
    assertThat(nobody.replica.applyCommitIndex(1, 0)).isFalse();
  }

  @Test
  void tooManyEarlyWritesFail() {
    open(ownership(1, a, b), a, b);
    SegmentWrite real = read(a.written("k", "1"), b, 0);
    for (int i = 0; i < 100_000; i++) {
      b.replica.applyReplicated(at(real, i + 2));
    }
    assertThatIllegalStateException()
        .isThrownBy(() -> b.replica.applyReplicated(at(real, 200_000)))
        .withMessageContainingAll("100000", "segment 3");
  }

  private static OperationResult result(ApplyResult taken) {
    return ((OrderedWrite.CommandWrite) taken.writes().getFirst().write()).result();
  }

  private static SegmentWrite at(SegmentWrite read, long index) {
    OrderedWrite.CommandWrite written = (OrderedWrite.CommandWrite) read.write();
    Entry entry = written.entry();
    Entry moved =
        Entry.of(entry.hash(), entry.bytes(), entry.keyLength(), 1, index, false, 0, null);
    return read.withResult(
        new OrderedWrite.CommandWrite(moved, written.command(), OperationResult.ABSENT));
  }

  private static Entry found(ManualReplica replica, String key) {
    return Objects.requireNonNull(replica.peek(key).entry());
  }

  @Test
  void writeIsRefusedIfTheLeaseEndsAfterItWasStamped() {
    ManualReplica one = new ManualReplica("one");
    GridDefinition available =
        new GridDefinition(
            new UUID(1, 2),
            0,
            ManualReplica.SEED,
            PartitionHandling.NEWER,
            GridLineage.NONE,
            true,
            false,
            false);
    one.replica.enterEpoch(ownership(1, one), one.self, available, true);
    assertThat(one.replica.serveEpoch(1)).isTrue();
    List<Long> stamps = new ArrayList<>();
    byte[] key = ManualReplica.bytes("k");
    CommandId first = one.nextCommand();
    for (boolean entitled : new boolean[] {false, true}) {
      int attempt = entitled ? 2 : 1;
      CommandId command =
          new CommandId(first.session(), first.sequence(), first.lowestUnanswered(), 1, attempt);
      ExecuteResult outcome =
          one.replica.execute(
              () -> {
                stamps.add(one.stampClock.latest());
                return entitled;
              },
              1,
              command,
              ManualReplica.hash("k"),
              key,
              0,
              key.length,
              found -> CommandEffect.put(ManualReplica.bytes("kv"), OperationResult.ABSENT, true));
      if (entitled) {
        assertThat(outcome)
            .isInstanceOfSatisfying(
                CommandOutcome.Written.class,
                written ->
                    assertThat(written.write().entry().stamp())
                        .as("the stamp when the lease was checked")
                        .isEqualTo(stamps.getLast()));
      } else {
        assertThat(outcome).isInstanceOf(CommandOutcome.Refused.class);
        assertThat(one.contents()).isEmpty();
      }
    }
    assertThat(stamps).hasSize(2);
    assertThat(one.contents()).containsExactly("k=v");
  }
}
