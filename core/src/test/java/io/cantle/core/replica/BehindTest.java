package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.carried;
import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static io.cantle.core.replica.HandReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes that were lost on their way to another writer are sent again, and taken once. */
final class BehindTest {
  private final HandReplica a = new HandReplica("a");
  private final HandReplica b = new HandReplica("b");
  private final HandReplica c = new HandReplica("c");

  private static List<Long> indices(Behind behind) {
    return behind.items().stream().map(Item::index).toList();
  }

  private static void resend(HandReplica from, HandReplica... to) {
    int epoch = from.replica.state().epoch();
    for (Behind behind : from.replica.behind(100)) {
      for (HandReplica one : to) {
        if (one.self.equals(behind.member())) {
          List<Item.Read> items =
              carried(behind.items()).stream()
                  .map(item -> new Item.Read(item, false, Item.Notice.NONE))
                  .toList();
          Taken taken = Objects.requireNonNull(one.replica.replicated(epoch, 0, items));
          from.replica.acked(one.self, epoch, taken.applied());
        }
      }
    }
  }

  @Test
  void whatIsYoungerThanTheLastLookIsNotMissedYet() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    assertThat(a.replica.waits()).isTrue();
    assertThat(a.replica.behind(10)).isEmpty();
    a.written("l", "2");
    List<Behind> behind = a.replica.behind(10);
    assertThat(behind).singleElement().extracting(Behind::member).isEqualTo(b.self);
    assertThat(indices(behind.getFirst())).as("from the first that is missing on").contains(1L);
  }

  @Test
  void onlyWhoLacksSomethingIsSentIt() {
    open(ownership(1, a, b, c), a, b, c);
    a.written("k", "1");
    a.written("l", "2");
    a.written("m", "3");
    a.replica.acked(b.self, 1, 3);
    a.replica.acked(c.self, 1, 1);
    a.replica.behind(10);
    List<Behind> behind = a.replica.behind(10);
    assertThat(behind).singleElement().extracting(Behind::member).isEqualTo(c.self);
    assertThat(indices(behind.getFirst())).containsExactly(2L, 3L);
    a.replica.acked(c.self, 1, 3);
    assertThat(a.replica.behind(10)).isEmpty();
    assertThat(a.replica.waits()).isFalse();
  }

  @Test
  void noMoreIsSentThanIsAskedFor() {
    open(ownership(1, a, b), a, b);
    for (int i = 0; i < 50; i++) {
      a.written("k" + i, "v");
    }
    a.replica.behind(10);
    assertThat(indices(a.replica.behind(10).getFirst()))
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
  }

  @Test
  void whatWasLostArrivesAndWhatCameTooEarlyFollowsIt() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    Outcome.Written second = a.written("k", "2");
    assertThat(send(second, b, 0).applied()).isZero();
    a.replica.behind(10);
    resend(a, b);
    assertThat(b.contents()).containsExactly("k=2");
    assertThat(a.replica.waits()).isFalse();
    assertThat(a.peek("k").status()).isEqualTo(Peek.Status.CLEAN);
  }

  @Test
  void anEpochThatIsOverMissesNothing() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    a.replica.behind(10);
    a.enter(ownership(2, b, a));
    assertThat(a.replica.behind(10)).isEmpty();
    assertThat(a.replica.behind(10)).isEmpty();
    assertThat(a.replica.waits()).isFalse();
  }

  @Test
  void aBackupWondersUntilItKnowsHowItsWritesHaveEnded() {
    open(ownership(1, a, b), a, b);
    assertThat(b.replica.wonders()).as("whether the epoch is served").isTrue();
    send(a.written("k", "1"), b);
    assertThat(b.replica.wonders()).isTrue();
    assertThat(a.replica.wonders()).as("a primary knows").isFalse();
    a.replica.acked(b.self, 1, 1);
    assertThat(a.replica.committedAsPrimary(1)).isEqualTo(1);
    assertThat(a.replica.committedAsPrimary(2)).isEqualTo(-1);
    assertThat(b.replica.committedAsPrimary(1)).isEqualTo(-1);
    b.replica.replicated(1, a.replica.committedAsPrimary(1), List.of());
    assertThat(b.replica.wonders()).isFalse();
  }

  /** Writes, half of which are lost at every turn, with acknowledgements lost as well. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void everythingArrivesInTheEndWhateverIsLost(long seed) {
    Random random = new Random(seed);
    open(ownership(1, List.of(a, b), List.of(c), 1), a, b, c);
    List<Outcome.Written> written = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      Outcome.Written one = a.written("k" + random.nextInt(20), "v" + i);
      written.add(one);
      for (HandReplica other : List.of(b, c)) {
        // Lost, doubled, or much too late.
        Outcome.Written sent = random.nextInt(3) == 0 ? written.get(random.nextInt(i + 1)) : one;
        if (random.nextBoolean()) {
          Taken taken = send(sent, other);
          if (random.nextBoolean()) {
            a.replica.acked(other.self, 1, taken.applied());
          }
        }
      }
      if (random.nextInt(20) == 0) {
        resend(a, b, c);
      }
    }
    for (int round = 0; round < 10; round++) {
      resend(a, b, c);
    }
    assertThat(a.replica.waits()).isFalse();
    assertThat(b.contents()).isEqualTo(a.contents());
    assertThat(c.contents()).isEqualTo(a.contents());
  }

  // ------------------------------------------------------------------ what changed nothing

  @Test
  void whatChangedNothingIsRememberedSoThatItDoesNothingLater() {
    open(ownership(1, a, b), a, b);
    Command command = a.nextCommand();
    byte[] key = HandReplica.bytes("k");
    Attempt first =
        a.replica.execute(
            () -> true,
            1,
            command,
            HandReplica.hash("k"),
            key,
            0,
            1,
            found -> Effect.none(Result.FALSE));
    assertThat(((Outcome.Answer) first).result()).isSameAs(Result.FALSE);
    Attempt again =
        a.replica.execute(
            () -> true,
            1,
            command,
            HandReplica.hash("k"),
            key,
            0,
            1,
            found -> Effect.put(HandReplica.bytes("kv"), Result.TRUE, false));
    assertThat(again)
        .isInstanceOfSatisfying(
            Outcome.Answer.class, told -> assertThat(told.result()).isSameAs(Result.FALSE));
    assertThat(a.contents()).isEmpty();
  }

  @Test
  void whatRestsOnAWriteUnderWayIsAnsweredAgainOnlyAfterThatWrite() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    Command command = a.nextCommand();
    byte[] key = HandReplica.bytes("k");
    for (int i = 0; i < 2; i++) {
      Attempt told =
          a.replica.execute(
              () -> true,
              1,
              command,
              HandReplica.hash("k"),
              key,
              0,
              1,
              found -> Effect.none(Result.FALSE));
      assertThat(((Outcome.Answer) told).index()).isEqualTo(1);
    }
  }

  @Test
  void whatIsNotDecidedYetIsNotRemembered() {
    open(ownership(1, a), a);
    Command command = a.nextCommand();
    byte[] key = HandReplica.bytes("k");
    a.replica.execute(
        () -> true, 1, command, HandReplica.hash("k"), key, 0, 1, found -> Effect.undecided());
    assertThat(a.put(command, "k", "1")).isInstanceOf(Outcome.Written.class);
  }
}
