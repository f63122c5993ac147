package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static io.cantle.core.replica.HandReplica.send;
import static io.cantle.core.replica.HandReplica.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.replica.Peek.Status;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** From one epoch of a segment to the next: logs, sessions, joiners and tombstones. */
final class EpochChangeTest {
  private final HandReplica a = new HandReplica("a");
  private final HandReplica b = new HandReplica("b");
  private final HandReplica c = new HandReplica("c");

  @Test
  void theNewPrimaryTakesTheLongestLogAndHandsOutWhatOthersLack() {
    HandReplica d = new HandReplica("d");
    open(ownership(1, a, b, c, d), a, b, c, d);
    List<Outcome.Written> writes =
        List.of(a.written("k", "1"), a.written("l", "2"), a.written("m", "3"));
    send(writes.get(0), b);
    writes.forEach(write -> send(write, c));
    // a crashes: what c has and b and d lack may have been answered, it must not be lost.
    open(ownership(2, b, c, d), b, c, d);
    assertThat(b.contents()).containsExactly("k=1", "l=2", "m=3");
    assertThat(c.contents()).isEqualTo(b.contents());
    assertThat(d.contents()).isEqualTo(b.contents());
    assertThat(b.peek("m").status())
        .as("of an earlier epoch, so everywhere")
        .isEqualTo(Status.CLEAN);
  }

  @Test
  void whoHasAsMuchAsThePrimaryIsHandedNothing() {
    open(ownership(1, a, b, c), a, b, c);
    Outcome.Written write = a.written("k", "1");
    send(write, b);
    send(write, c);
    b.enter(ownership(2, b, c));
    c.enter(ownership(2, b, c));
    Log log = c.replica.log(1, 1);
    assertThat(log).isEqualTo(new Log(1, 1, 1, List.of(), -1));
    assertThat(b.replica.takeOver(2, Map.of(c.self, log))).isEmpty();
  }

  @Test
  void onlyWhatIsAskedForOfATailIsTold() {
    open(ownership(1, a, b), a, b);
    for (int i = 1; i <= 4; i++) {
      send(a.written("k" + i, "v"), b);
    }
    assertThat(b.replica.log(1, 2).items()).extracting(Item::index).containsExactly(3L, 4L);
    assertThat(b.replica.log(0, 9).items()).hasSize(4);
    assertThat(b.replica.log(2, 0).items()).isEmpty();
    a.replica.acked(b.self, 1, 2);
    assertThat(a.replica.log(0, 0).items()).extracting(Item::index).containsExactly(3L, 4L);
  }

  @Test
  void aPrimaryThatMissedAWholeEpochTakesItFromTheOthers() {
    open(ownership(1, a, b, c), a, b, c);
    Outcome.Written early = a.written("old", "1");
    send(early, b);
    send(early, c);
    // Epoch 2 is served, but c hears of it only through its entering.
    open(ownership(2, a, b, c), a, b, c);
    send(a.written("k", "2"), b);
    open(ownership(3, c, b), b, c);
    assertThat(c.contents()).containsExactly("k=2", "old=1");
    assertThat(b.contents()).isEqualTo(c.contents());
  }

  @Test
  void writesThatCameTooEarlyAreForgottenWithTheirEpoch() {
    open(ownership(1, a, b), a, b);
    a.written("k", "lost");
    Outcome.Written second = a.written("l", "lost");
    send(second, b);
    open(ownership(2, b), b);
    Outcome.Written own = b.written("m", "1");
    assertThat(own.item().index()).isEqualTo(1);
    assertThat(b.contents()).containsExactly("m=1");
  }

  @Test
  void nothingIsTakenOverOrFilledForAnotherEpoch() {
    open(ownership(1, a, b), a, b);
    Outcome.Written write = a.written("k", "1");
    b.enter(ownership(2, b, a));
    Log longer = new Log(1, 1, 1, HandReplica.carried(List.of(write.item())), -1);
    assertThat(b.replica.takeOver(1, Map.of(a.self, longer))).isEmpty();
    assertThat(b.contents()).isEmpty();
    assertThat(b.replica.fill(1, 1, HandReplica.carried(List.of(write.item())))).isFalse();
    assertThat(b.replica.fill(2, 1, HandReplica.carried(List.of(write.item())))).isTrue();
    assertThat(b.contents()).containsExactly("k=1");
    assertThat(b.replica.fill(2, 1, HandReplica.carried(List.of(write.item()))))
        .as("told twice")
        .isTrue();
    assertThat(b.replica.log(0, 0).applied()).isEqualTo(1);
  }

  @Test
  void whatIsFilledAfterTheEpochIsServedChangesNothing() {
    open(ownership(1, a, b), a, b);
    Outcome.Written write = a.written("k", "1");
    open(ownership(2, b, a), b);
    b.written("k", "2");
    assertThat(b.replica.fill(2, 1, HandReplica.carried(List.of(write.item())))).isTrue();
    assertThat(b.contents()).containsExactly("k=2");
  }

  @Test
  void aCommandIsKnownToTheNextPrimary() {
    open(ownership(1, a, b), a, b);
    a.written("k", "0");
    Command command = a.command(70, 60);
    Outcome.Written write = (Outcome.Written) a.put(command, "k", "1");
    open(ownership(2, b, a), a, b);
    // b had neither write; it was handed both, and with them the identity and the result.
    Outcome.Answer again = (Outcome.Answer) b.put(command, "k", "1");
    assertThat(text(again.result())).isEqualTo("0").isEqualTo(text(write.item().result()));
    assertThat(again.index()).as("of an earlier epoch: nothing to wait for").isZero();
    assertThat(b.contents()).containsExactly("k=1");
  }

  @Test
  void aCommandLostWithItsPrimaryIsDoneAnew() {
    open(ownership(1, a, b), a, b);
    Command command = a.command(7, 7);
    a.put(command, "k", "1");
    open(ownership(2, b), b);
    assertThat(b.contents()).isEmpty();
    assertThat(b.put(command, "k", "1")).isInstanceOf(Outcome.Written.class);
  }

  @Test
  void aJoinerTakesPartInWritesAndFetchesTheRest() {
    open(ownership(1, a), a);
    a.written("old", "1");
    a.written("both", "1");
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    assertThat(c.replica.transferCursor(2)).isEqualTo(Cursor.START);
    send(a.written("both", "2"), c);
    assertThat(
            c.transferred(
                2,
                0,
                List.of(HandReplica.entry("old", "1", 1, 1), HandReplica.entry("both", "1", 1, 2)),
                Cursor.END))
        .isTrue();
    assertThat(c.contents()).containsExactly("both=2", "old=1");
    assertThat(c.peek("old").status()).as("a joiner speaks for nobody").isEqualTo(Status.REFUSED);
  }

  @Test
  void aTransferGoesOnInTheNextEpochOfTheSameJoining() {
    open(ownership(1, a, b), a, b);
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    Cursor half = Cursor.after(HandReplica.entry("k", "1", 1, 1));
    assertThat(c.transferred(2, 0, List.of(HandReplica.entry("k", "1", 1, 1)), half)).isTrue();
    open(ownership(3, List.of(b), List.of(c), 2), b, c);
    assertThat(c.replica.transferCursor(2)).isNull();
    assertThat(c.replica.transferCursor(3)).isEqualTo(half);
    assertThat(c.contents()).containsExactly("k=1");
    assertThat(c.transferred(2, 0, List.of(), Cursor.END)).as("of the old epoch").isFalse();
    assertThat(c.replica.transferCursor(3)).isEqualTo(half);
  }

  @Test
  void aJoiningThatBeganAnewStartsFromNothing() {
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    send(a.written("k", "1"), c);
    assertThat(c.transferred(2, 0, List.of(), Cursor.END)).isTrue();
    open(ownership(4, List.of(a), List.of(c), 4), a, c);
    assertThat(c.replica.transferCursor(4)).isEqualTo(Cursor.START);
    assertThat(c.contents()).isEmpty();
    assertThat(c.replica.log(0, 0)).isEqualTo(new Log(4, 0, 0, List.of(), -1));
  }

  @Test
  void whoIsNoLongerNamedDropsEverything() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    b.enter(ownership(2, a));
    assertThat(b.contents()).isEmpty();
    assertThat(b.replica.log(0, 0)).isEqualTo(new Log(0, 0, 0, List.of(), -1));
    assertThat(b.replica.transferCursor(2)).isNull();
  }

  @Test
  void aJoinerBecomesAnOwnerWithoutLosingAnything() {
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    send(a.written("k", "1"), c);
    assertThat(c.transferred(2, 0, List.of(HandReplica.entry("old", "1", 1, 1)), Cursor.END))
        .isTrue();
    open(ownership(3, c, a), a, c);
    assertThat(c.contents()).containsExactly("k=1", "old=1");
    assertThat(c.replica.log(0, 0).since()).isEqualTo(2);
    assertThat(c.peek("old").status()).isEqualTo(Status.CLEAN);
    assertThat(c.transferred(3, 0, List.of(), Cursor.END)).isFalse();
  }

  @Test
  void aJoinerIsNotHandedLogsFromBeforeItBegan() {
    open(ownership(1, a, b), a, b);
    Outcome.Written write = a.written("k", "1");
    send(write, b);
    var next = ownership(2, List.of(b), List.of(c), 2);
    b.enter(next);
    c.enter(next);
    assertThat(b.replica.takeOver(2, Map.of(c.self, c.replica.log(1, 1)))).isEmpty();
  }

  @Test
  void aJoinerIsHandedWhatItMissedSinceItBegan() {
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    send(a.written("k", "1"), b);
    open(ownership(3, List.of(b), List.of(c), 2), b, c);
    assertThat(c.contents()).containsExactly("k=1");
  }

  @Test
  void aKeyRemovedWhileSomebodyJoinsDoesNotComeBackToLife() {
    open(ownership(1, a), a);
    a.written("k", "1");
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    send((Outcome.Written) a.remove("k"), c);
    a.replica.acked(c.self, 2, 1);
    assertThat(a.contents()).as("kept while c joins").containsExactly("k-");
    assertThat(c.replica.replicated(2, 1, List.of())).isNotNull();
    assertThat(c.transferred(2, 0, List.of(HandReplica.entry("k", "1", 1, 1)), Cursor.END))
        .isTrue();
    assertThat(c.contents()).containsExactly("k-");

    open(ownership(3, c, a), a, c);
    assertThat(c.contents()).as("forgotten when nobody joins").isEmpty();
    assertThat(a.replica.replicated(3, 0, List.of())).isNotNull();
    assertThat(a.contents()).isEmpty();
  }

  @Test
  void resultsOfCommandsReachTheJoiner() {
    open(ownership(1, a), a);
    a.written("k", "0");
    Command command = a.command(70, 60);
    a.put(command, "k", "1");
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    Output out = new Output(64);
    a.replica.writeSessions(out);
    assertThat(c.replica.mergeSessions(1, out.toInput())).isFalse();
    assertThat(c.replica.mergeSessions(2, out.toInput())).isTrue();
    assertThat(c.transferred(2, 0, List.of(HandReplica.entry("k", "1", 1, 2)), Cursor.END))
        .isTrue();
    open(ownership(3, c), c);
    assertThat(text(((Outcome.Answer) c.put(command, "k", "1")).result())).isEqualTo("0");
    c.replica.retainSessions(new Lives(id -> false, 3));
    assertThat(c.put(command, "k", "1")).isInstanceOf(Outcome.Forgotten.class);
  }

  @Test
  void aCountOrAScanSeesThatTheEpochHasEnded() {
    open(ownership(1, a, b), a, b);
    ReplicaState before = a.replica.state();
    assertThat(before.same(a.replica.state())).isTrue();
    a.enter(ownership(2, a, b));
    assertThat(before.same(a.replica.state())).isFalse();
    ReplicaState entered = a.replica.state();
    a.replica.serve(2);
    assertThat(entered.same(a.replica.state())).isFalse();
  }

  @Test
  void aWriteThatCameTooEarlyDoesNotSlipIntoTheNextEpoch() {
    HandReplica lone = new HandReplica("lone");
    HandReplica backup = new HandReplica("backup");
    open(ownership(1, lone, backup), lone, backup);
    lone.written("k", "lost");
    send(lone.written("l", "lost"), backup);
    HandReplica next = new HandReplica("next");
    next.enter(ownership(1, lone, backup, next));
    open(ownership(2, next, backup), next, backup);
    send(next.written("m", "1"), backup);
    assertThat(backup.contents()).containsExactly("m=1");
    assertThat(backup.replica.log(0, 0).applied()).isEqualTo(1);
  }

  @Test
  void whatATransferBringsWaitsForTheWritesThePrimaryLeftOut() {
    open(ownership(1, a), a);
    a.written("k", "1");
    open(ownership(2, List.of(a), List.of(c), 2), a, c);
    Outcome.Written write = a.written("k", "2");
    assertThat(a.replica.appliedAsPrimary(2)).isEqualTo(1);
    assertThat(a.replica.appliedAsPrimary(1)).isEqualTo(-1);
    // The primary left k out, for a write replaced it that c does not have yet.
    assertThat(c.replica.transferred(2, 1, List.of(), Cursor.END, -1)).isEqualTo(Received.NOT_YET);
    assertThat(c.replica.transferCursor(2)).isEqualTo(Cursor.START);
    send(write, c);
    assertThat(c.transferred(2, 1, List.of(), Cursor.END)).isTrue();
    assertThat(c.replica.transferCursor(2)).isEqualTo(Cursor.END);
    assertThat(c.replica.transferred(1, 1, List.of(), Cursor.END, -1)).isEqualTo(Received.REFUSED);
    assertThat(c.replica.appliedAsPrimary(2)).as("no primary").isEqualTo(-1);
  }
}
