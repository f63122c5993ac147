package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static io.cantle.core.replica.ManualReplica.throughTheWire;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.replica.ReplicaLogSummary.MissingWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that writes lost on their way to another writer are resent, and applied once. */
final class UnacknowledgedWritesTest {
  private final ManualReplica a = new ManualReplica("a");
  private final ManualReplica b = new ManualReplica("b");
  private final ManualReplica c = new ManualReplica("c");

  private static List<Long> indices(MissingWrites behind) {
    return behind.writes().stream().map(OrderedWrite::index).toList();
  }

  private static void resend(ManualReplica from, ManualReplica... to) {
    int epoch = from.replica.state().epoch();
    for (MissingWrites behind : from.replica.progress().findUnacknowledged(100)) {
      for (ManualReplica one : to) {
        if (one.self.equals(behind.member())) {
          for (OrderedWrite write : throughTheWire(behind.writes())) {
            ApplyResult taken =
                Objects.requireNonNull(
                    one.replica.applyReplicated(one.replica.segmentWrite(0, write, null)));
            from.replica.onAck(one.self, epoch, taken.applied());
          }
        }
      }
    }
  }

  @Test
  void writesNewerThanTheLastCheckAreNotYetMissing() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    assertThat(a.replica.progress().hasUnacknowledgedWrites()).isTrue();
    assertThat(a.replica.progress().findUnacknowledged(10)).isEmpty();
    a.written("l", "2");
    List<MissingWrites> behind = a.replica.progress().findUnacknowledged(10);
    assertThat(behind).singleElement().extracting(MissingWrites::member).isEqualTo(b.self);
    assertThat(indices(behind.getFirst())).as("from the first missing write on").contains(1L);
  }

  @Test
  void onlyLaggingWritersAreSentMissingWrites() {
    open(ownership(1, a, b, c), a, b, c);
    a.written("k", "1");
    a.written("l", "2");
    a.written("m", "3");
    a.replica.onAck(b.self, 1, 3);
    a.replica.onAck(c.self, 1, 1);
    a.replica.progress().findUnacknowledged(10);
    List<MissingWrites> behind = a.replica.progress().findUnacknowledged(10);
    assertThat(behind).singleElement().extracting(MissingWrites::member).isEqualTo(c.self);
    assertThat(indices(behind.getFirst())).containsExactly(2L, 3L);
    a.replica.onAck(c.self, 1, 3);
    assertThat(a.replica.progress().findUnacknowledged(10)).isEmpty();
    assertThat(a.replica.progress().hasUnacknowledgedWrites()).isFalse();
  }

  @Test
  void resendIsBoundedByMaxItems() {
    open(ownership(1, a, b), a, b);
    for (int i = 0; i < 50; i++) {
      a.written("k" + i, "v");
    }
    a.replica.progress().findUnacknowledged(10);
    assertThat(indices(a.replica.progress().findUnacknowledged(10).getFirst()))
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
  }

  @Test
  void resentWriteIsAppliedTogetherWithEarlyOnes() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    CommandOutcome.Written second = a.written("k", "2");
    assertThat(send(second, b, 0).applied()).isZero();
    a.replica.progress().findUnacknowledged(10);
    resend(a, b);
    assertThat(b.contents()).containsExactly("k=2");
    assertThat(a.replica.progress().hasUnacknowledgedWrites()).isFalse();
    assertThat(a.peek("k").status()).isEqualTo(LocalRead.Status.CLEAN);
  }

  @Test
  void pastEpochHasNoMissingWrites() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    a.replica.progress().findUnacknowledged(10);
    a.enter(ownership(2, b, a));
    assertThat(a.replica.progress().findUnacknowledged(10)).isEmpty();
    assertThat(a.replica.progress().findUnacknowledged(10)).isEmpty();
    assertThat(a.replica.progress().hasUnacknowledgedWrites()).isFalse();
  }

  @Test
  void backupIsUncertainUntilItLearnsTheCommitIndex() {
    open(ownership(1, a, b), a, b);
    assertThat(b.replica.progress().hasUncertainWrites())
        .as("it does not know whether the epoch is served")
        .isTrue();
    send(a.written("k", "1"), b);
    assertThat(b.replica.progress().hasUncertainWrites()).isTrue();
    assertThat(a.replica.progress().hasUncertainWrites())
        .as("a primary knows how its writes ended")
        .isFalse();
    a.replica.onAck(b.self, 1, 1);
    assertThat(a.replica.progress().committedAsPrimary(1)).isEqualTo(1);
    assertThat(a.replica.progress().committedAsPrimary(2)).isEqualTo(-1);
    assertThat(b.replica.progress().committedAsPrimary(1)).isEqualTo(-1);
    b.replica.applyCommitIndex(1, a.replica.progress().committedAsPrimary(1));
    assertThat(b.replica.progress().hasUncertainWrites()).isFalse();
  }

  /** Loses half of the writes in each round, and acknowledgements too. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void allWritesArriveDespiteMessageLoss(long seed) {
    Random random = new Random(seed);
    open(ownership(1, List.of(a, b), List.of(c), 1), a, b, c);
    List<CommandOutcome.Written> written = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      CommandOutcome.Written one = a.written("k" + random.nextInt(20), "v" + i);
      written.add(one);
      for (ManualReplica other : List.of(b, c)) {
        // The message may be lost, duplicated or delayed for long.
        CommandOutcome.Written sent =
            random.nextInt(3) == 0 ? written.get(random.nextInt(i + 1)) : one;
        if (random.nextBoolean()) {
          ApplyResult taken = send(sent, other);
          if (random.nextBoolean()) {
            a.replica.onAck(other.self, 1, taken.applied());
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
    assertThat(a.replica.progress().hasUnacknowledgedWrites()).isFalse();
    assertThat(b.contents()).isEqualTo(a.contents());
    assertThat(c.contents()).isEqualTo(a.contents());
  }

  // ------------------------------------------------------------------ commands without effect

  @Test
  void resultOfACommandWithoutEffectIsRemembered() {
    open(ownership(1, a, b), a, b);
    CommandId command = a.nextCommand();
    byte[] key = ManualReplica.bytes("k");
    ExecuteResult first =
        a.replica.execute(
            () -> true,
            1,
            command,
            ManualReplica.hash("k"),
            key,
            0,
            1,
            found -> CommandEffect.none(OperationResult.FALSE));
    assertThat(((CommandOutcome.ResultOnly) first).result()).isSameAs(OperationResult.FALSE);
    ExecuteResult again =
        a.replica.execute(
            () -> true,
            1,
            command,
            ManualReplica.hash("k"),
            key,
            0,
            1,
            found -> CommandEffect.put(ManualReplica.bytes("kv"), OperationResult.TRUE, false));
    assertThat(again)
        .isInstanceOfSatisfying(
            CommandOutcome.ResultOnly.class,
            told -> assertThat(told.result()).isSameAs(OperationResult.FALSE));
    assertThat(a.contents()).isEmpty();
  }

  @Test
  void answerBasedOnAnUncommittedWriteWaitsForItsCommit() {
    open(ownership(1, a, b), a, b);
    a.written("k", "1");
    CommandId command = a.nextCommand();
    byte[] key = ManualReplica.bytes("k");
    for (int i = 0; i < 2; i++) {
      ExecuteResult told =
          a.replica.execute(
              () -> true,
              1,
              command,
              ManualReplica.hash("k"),
              key,
              0,
              1,
              found -> CommandEffect.none(OperationResult.FALSE));
      assertThat(((CommandOutcome.ResultOnly) told).index()).isEqualTo(1);
    }
  }

  @Test
  void undecidedCommandIsNotRemembered() {
    open(ownership(1, a), a);
    CommandId command = a.nextCommand();
    byte[] key = ManualReplica.bytes("k");
    a.replica.execute(
        () -> true,
        1,
        command,
        ManualReplica.hash("k"),
        key,
        0,
        1,
        found -> CommandEffect.undecided());
    assertThat(a.put(command, "k", "1")).isInstanceOf(CommandOutcome.Written.class);
  }
}
