package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static io.cantle.core.replica.HandReplica.read;
import static io.cantle.core.replica.HandReplica.send;
import static io.cantle.core.replica.HandReplica.text;
import static io.cantle.core.replica.HandReplica.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.container.Entry;
import io.cantle.core.replica.Peek.Status;
import io.cantle.core.topology.Charter;
import io.cantle.core.topology.Descent;
import io.cantle.core.topology.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** One epoch of a segment: a primary, its backups, and what may be read when. */
final class ReplicaTest {
  private final HandReplica a = new HandReplica("a");
  private final HandReplica b = new HandReplica("b");
  private final HandReplica c = new HandReplica("c");
  private final List<String> events = new ArrayList<>();

  @Test
  void rolesFollowTheOwnership() {
    HandReplica d = new HandReplica("d");
    var ownership = ownership(4, List.of(a, b), List.of(c), 2);
    for (HandReplica one : List.of(a, b, c, d)) {
      assertThat(one.enter(ownership)).isTrue();
      assertThat(one.enter(ownership)).as("twice").isFalse();
      assertThat(one.enter(ownership(3, d))).as("an earlier one").isFalse();
      assertThat(one.replica.state().epoch()).isEqualTo(4);
      assertThat(one.replica.state().serving()).isFalse();
      assertThat(one.replica.state().steady()).isFalse();
    }
    assertThat(a.replica.state().role()).isEqualTo(Role.PRIMARY);
    assertThat(a.replica.state().others()).containsExactly(b.self, c.self);
    assertThat(a.replica.state().backups()).isEqualTo(1);
    assertThat(b.replica.state().role()).isEqualTo(Role.BACKUP);
    assertThat(b.replica.state().others()).isEmpty();
    assertThat(c.replica.state().role()).isEqualTo(Role.JOINER);
    assertThat(d.replica.state().role()).isEqualTo(Role.NONE);
  }

  @Test
  void nothingIsServedBeforeTheEpochIs() {
    a.enter(ownership(1, a, b));
    assertThat(a.put("k", "v")).isInstanceOf(Outcome.Refused.class);
    assertThat(a.peek("k").status()).isEqualTo(Status.REFUSED);
    assertThat(a.replica.count()).isNull();
    assertThat(a.replica.serve(2)).isFalse();
    assertThat(a.replica.serve(1)).isTrue();
    assertThat(a.put("k", "v")).isInstanceOf(Outcome.Written.class);
  }

  @Test
  void onlyThePrimaryServesAndExecutes() {
    open(ownership(1, a, b), a, b);
    assertThat(b.replica.serve(1)).isFalse();
    assertThat(b.put("k", "v")).isInstanceOf(Outcome.Refused.class);
    assertThat(a.replica.replicated(1, 0, List.of())).isNull();
  }

  @Test
  void aCommandForAnotherEpochIsRefused() {
    open(ownership(3, a), a);
    byte[] key = HandReplica.bytes("k");
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
                  found -> Effect.none(Result.TRUE)))
          .as("it may have been carried out while that was its epoch")
          .isInstanceOf(Outcome.Forgotten.class);
    }
  }

  @Test
  void aPrimaryAloneCommitsAtOnce() {
    open(ownership(1, a), a);
    Outcome.Written written = a.written("k", "v");
    assertThat(written.committed()).isEqualTo(1);
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(value(found(a, "k"))).isEqualTo("v");
  }

  @Test
  void writesAreNumberedInTheirOrder() {
    open(ownership(1, a, b), a, b);
    for (int i = 1; i <= 5; i++) {
      assertThat(a.written("k" + i % 2, "v" + i).item().index()).isEqualTo(i);
    }
    assertThat(a.replica.log(0, 0).applied()).isEqualTo(5);
  }

  @Test
  void aWriteIsCommittedWhenAllWritersHaveComeToIt() {
    open(ownership(1, a, b, c), a, b, c);
    a.written("k", "1");
    a.written("l", "2");
    a.replica.whenCommitted(1, 1, () -> events.add("one"), () -> events.add("refused"));
    a.replica.whenCommitted(1, 2, () -> events.add("two"), () -> events.add("refused"));

    a.replica.acked(b.self, 1, 2);
    assertThat(events).isEmpty();
    a.replica.acked(c.self, 1, 1);
    assertThat(events).containsExactly("one");
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(a.peek("l").status()).isEqualTo(Status.DIRTY);
    a.replica.acked(c.self, 1, 2);
    assertThat(events).containsExactly("one", "two");
    a.replica.whenCommitted(1, 2, () -> events.add("at once"), () -> events.add("refused"));
    assertThat(events).containsExactly("one", "two", "at once");
  }

  @Test
  void acksOfOthersOtherEpochsAndEarlierOnesCountForNothing() {
    open(ownership(2, a, b), a, b);
    a.written("k", "1");
    a.replica.acked(c.self, 2, 1);
    a.replica.acked(b.self, 1, 1);
    a.replica.acked(b.self, 3, 1);
    assertThat(a.peek("k").status()).isEqualTo(Status.DIRTY);
    a.replica.acked(b.self, 2, 1);
    a.replica.acked(b.self, 2, 0);
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
  }

  @Test
  void whoWaitsForACommitIsRefusedWhenTheEpochEnds() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    a.replica.whenCommitted(1, 1, () -> events.add("then"), () -> events.add("refused"));
    a.enter(ownership(2, a));
    assertThat(events).containsExactly("refused");
    a.replica.whenCommitted(1, 0, () -> events.add("then"), () -> events.add("late"));
    assertThat(events).containsExactly("refused", "late");
  }

  @Test
  void aBackupAppliesInOrderWhateverTheOrderOfArrival() {
    Random random = new Random(3);
    open(ownership(1, a, b), a, b);
    List<Outcome.Written> writes = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      writes.add(
          random.nextInt(4) == 0
                  && a.look("k" + i % 7) instanceof Outcome.Answer answer
                  && answer.result().hasValue()
              ? (Outcome.Written) a.remove("k" + i % 7)
              : a.written("k" + i % 7, "v" + i));
    }
    List<Outcome.Written> sent = new ArrayList<>(writes);
    sent.addAll(writes.subList(10, 30));
    java.util.Collections.shuffle(sent, random);
    List<Long> order = new ArrayList<>();
    for (Outcome.Written write : sent) {
      Taken taken = send(write, b, 0);
      taken.items().forEach(item -> order.add(item.item().index()));
      assertThat(taken.applied()).isEqualTo(order.size());
    }
    assertThat(order).hasSize(60).isSorted();
    assertThat(b.contents()).isEqualTo(a.contents());
  }

  @Test
  void aBackupTellsThePreviousValueItselfAndAJoinerIsTold() {
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    Outcome.Written first = a.written("k", "old");
    Outcome.Written second = a.written("k", "new");
    send(first, b);
    assertThat(read(second, b).resultIsPrevious()).isTrue();
    assertThat(text(result(send(second, b)))).isEqualTo("old");
    assertThat(read(second, c).resultIsPrevious()).isFalse();
    send(first, c);
    assertThat(text(result(send(second, c)))).isEqualTo("old");
  }

  @Test
  void aBackupAnswersFromWhatItKnowsToBeCommitted() {
    open(ownership(1, a, b), a, b);
    assertThat(b.peek("k").status()).as("not known to be served").isEqualTo(Status.REFUSED);
    Outcome.Written first = a.written("k", "1");
    send(first, b);
    assertThat(b.peek("k").status()).isEqualTo(Status.DIRTY);
    assertThat(b.peek("other").status()).isEqualTo(Status.CLEAN);
    a.replica.acked(b.self, 1, 1);
    send(a.written("l", "2"), b);
    assertThat(b.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(b.peek("l").status()).isEqualTo(Status.DIRTY);
  }

  @Test
  void aBackupDoesNotBelieveInCommitsItHasNotComeTo() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    Outcome.Written second = a.written("l", "2");
    send(second, b, 2);
    assertThat(b.contents()).isEmpty();
    assertThat(b.replica.log(0, 0).applied()).isZero();
  }

  @Test
  void aNoticeCommitsWhereNoWriteFollows() {
    open(ownership(1, a, b), a, b);
    assertThat(a.replica.notice()).isZero();
    assertThat(a.replica.notice()).isEqualTo(-1);
    send(a.written("k", "1"), b);
    assertThat(a.replica.notice()).as("nothing new is committed").isEqualTo(-1);
    a.replica.acked(b.self, 1, 1);
    assertThat(a.replica.notice()).isEqualTo(1);
    assertThat(a.replica.notice()).isEqualTo(-1);
    assertThat(b.replica.replicated(1, 1, List.of())).isNotNull();
    assertThat(b.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(b.replica.notice()).isEqualTo(-1);
  }

  @Test
  void whatChangesNothingIsAnsweredFromWhatItSaw() {
    open(ownership(5, a, b), a, b);
    a.written("k", "1");
    Outcome.Answer look = (Outcome.Answer) a.look("k");
    assertThat(look.index()).isEqualTo(1);
    assertThat(text(look.result())).isEqualTo("1");
    assertThat(((Outcome.Answer) a.look("absent")).index()).isZero();
    a.remove("k");
    Outcome.Answer afterwards = (Outcome.Answer) a.look("k");
    assertThat(afterwards.result()).isSameAs(Result.ABSENT);
    assertThat(afterwards.index()).as("the removal has to be committed first").isEqualTo(2);
  }

  @Test
  void aRemovedKeyIsFoundAsNothing() {
    open(ownership(1, a), a);
    a.written("k", "1");
    a.remove("k");
    assertThat(((Outcome.Answer) a.remove("k")).result()).isSameAs(Result.ABSENT);
    assertThat(text(a.written("k", "2").item().result())).isEqualTo("-");
  }

  @Test
  void aCommandTriedAgainIsAnsweredAndNotDoneTwice() {
    open(ownership(1, a, b), a, b);
    Command command = a.nextCommand();
    a.put(command, "k", "1");
    a.written("k", "2");
    Outcome.Answer again = (Outcome.Answer) a.put(command, "k", "1");
    assertThat(again.index()).isEqualTo(1);
    assertThat(text(again.result())).isEqualTo("-");
    assertThat(a.contents()).containsExactly("k=2");
  }

  @Test
  void aCommandGivenUpLongAgoIsIgnored() {
    open(ownership(1, a), a);
    a.put(a.command(9, 5), "k", "1");
    assertThat(a.put(a.command(4, 1), "k", "2")).isInstanceOf(Outcome.Ignored.class);
    assertThat(a.put(a.command(5, 1), "k", "3")).isInstanceOf(Outcome.Written.class);
  }

  @Test
  void countsWhatIsLiveAndSaysWhatItRestsOn() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    a.written("l", "1");
    a.remove("k");
    assertThat(a.replica.count()).isEqualTo(new Count(1, 1, 3, false));
    a.replica.acked(b.self, 1, 3);
    assertThat(a.replica.count()).isEqualTo(new Count(1, 1, 3, true));
    assertThat(b.replica.count()).isNull();
  }

  @Test
  void removedKeysAreForgottenOnceAllHaveComeToTheRemoval() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    Outcome.Written removal = (Outcome.Written) a.remove("k");
    send(removal, b);
    assertThat(a.contents()).containsExactly("k-");
    assertThat(b.contents()).containsExactly("k-");
    a.replica.acked(b.self, 1, 2);
    assertThat(a.contents()).isEmpty();
    send(a.written("l", "1"), b);
    assertThat(b.contents()).containsExactly("l=1");
  }

  @Test
  void aRemovalDoesNotTakeTheValueWrittenAfterIt() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    send((Outcome.Written) a.remove("k"), b);
    send(a.written("k", "2"), b);
    a.replica.acked(b.self, 1, 3);
    assertThat(b.replica.replicated(1, 3, List.of())).isNotNull();
    assertThat(a.contents()).containsExactly("k=2");
    assertThat(b.contents()).containsExactly("k=2");
  }

  @Test
  void writesOfAnotherEpochAreRefused() {
    open(ownership(1, a, b), a, b);
    Outcome.Written old = a.written("k", "1");
    b.enter(ownership(2, b, a));
    assertThat(b.replica.replicated(1, 0, List.of(read(old, b)))).isNull();
    HandReplica nobody = new HandReplica("nobody");
    nobody.enter(ownership(1, a, b));
    assertThat(nobody.replica.replicated(1, 0, List.of())).isNull();
  }

  @Test
  void aPrimaryRunWildIsStopped() {
    open(ownership(1, a, b), a, b);
    Item.Read real = read(a.written("k", "1"), b);
    for (int i = 0; i < 100_000; i++) {
      b.replica.replicated(1, 0, List.of(at(real, i + 2)));
    }
    assertThatIllegalStateException()
        .isThrownBy(() -> b.replica.replicated(1, 0, List.of(at(real, 200_000))))
        .withMessageContainingAll("100000", "segment 3");
  }

  private static Result result(Taken taken) {
    return ((Item.Write) taken.items().getFirst().item()).result();
  }

  private static Item.Read at(Item.Read read, long index) {
    Item.Write written = (Item.Write) read.item();
    Entry entry = written.entry();
    Entry moved = new Entry(entry.hash(), entry.bytes(), entry.keyLength(), 1, index, false);
    return new Item.Read(
        new Item.Write(moved, written.command(), Result.ABSENT), false, Item.Notice.NONE);
  }

  private static Entry found(HandReplica replica, String key) {
    return Objects.requireNonNull(replica.peek(key).entry());
  }

  @Test
  void whoIsEntitledNoMoreOnceTheWriteIsStampedWritesNothing() {
    HandReplica one = new HandReplica("one");
    Charter available =
        new Charter(
            new UUID(1, 2), 0, HandReplica.SEED, Mode.NEWER, Descent.NONE, true, false, false);
    one.replica.enter(ownership(1, one), one.self, available);
    assertThat(one.replica.serve(1)).isTrue();
    List<Long> stamps = new ArrayList<>();
    byte[] key = HandReplica.bytes("k");
    Command first = one.nextCommand();
    for (boolean entitled : new boolean[] {false, true}) {
      int attempt = entitled ? 2 : 1;
      Command command = new Command(first.session(), first.sequence(), first.lowest(), 1, attempt);
      Attempt outcome =
          one.replica.execute(
              () -> {
                stamps.add(one.stamps.latest());
                return entitled;
              },
              1,
              command,
              HandReplica.hash("k"),
              key,
              0,
              key.length,
              found -> Effect.put(HandReplica.bytes("kv"), Result.ABSENT, true));
      if (entitled) {
        assertThat(outcome)
            .isInstanceOfSatisfying(
                Outcome.Written.class,
                written ->
                    assertThat(written.item().entry().stamp())
                        .as("what it had when that was asked")
                        .isEqualTo(stamps.getLast()));
      } else {
        assertThat(outcome).isInstanceOf(Outcome.Refused.class);
        assertThat(one.contents()).isEmpty();
      }
    }
    assertThat(stamps).hasSize(2);
    assertThat(one.contents()).containsExactly("k=v");
  }
}
