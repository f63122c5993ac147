package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests a write that counts the replies of writers that hold it. */
final class InFlightWriteTest {
  private final Member from = ManualNetwork.member("from");
  private final InFlightWrite write = new InFlightWrite(null);

  private static Input bytes(OperationReply reply) {
    Output out = new Output(8);
    reply.write(out);
    return out.toInput();
  }

  private void answer(OperationReply reply) {
    write.onResponse(from, bytes(reply));
  }

  private void held(int epoch, int place, int expected, @Nullable OperationResult result) {
    answer(new OperationReply.HeldReply(epoch, place, expected, result));
  }

  @Test
  void resultOfAnEarlierAttemptInTheSameEpochIsAccepted() {
    write.beginAttempt(3);
    write.beginAttempt(3);
    answer(new OperationReply.ResultReply(1, OperationResult.FALSE));
    assertThat(write.result()).isSameAs(OperationResult.FALSE);
  }

  @Test
  void unknowableOutcomeEndsTheWrite() {
    write.beginAttempt(2);
    write.beginAttempt(3);
    answer(new OperationReply.InDoubtReply(1));
    assertThat(write.isEnded()).as("the answer is of an earlier epoch").isFalse();
    answer(new OperationReply.InDoubtReply(2));
    assertThat(write.isEnded()).isTrue();
    assertThat(write.isUnknowable()).isTrue();
    assertThat(write.isDoubtful()).isTrue();
    assertThat(write.beginAttempt(4)).isFalse();
  }

  @Test
  void refusedAttemptCannotHaveBeenForgotten() {
    write.beginAttempt(2);
    answer(new OperationReply.RefusedReply(1, false));
    write.beginAttempt(5);
    assertThat(write.firstEpoch()).isEqualTo(5);
    write.beginAttempt(6);
    assertThat(write.firstEpoch()).isEqualTo(5);
  }

  @Test
  void resultIsFinal() {
    write.beginAttempt(2);
    answer(new OperationReply.ResultReply(1, OperationResult.TRUE));
    assertThat(write.result()).isSameAs(OperationResult.TRUE);
  }

  @Test
  void resultOfAnAttemptInAnEarlierEpochIsIgnored() {
    write.beginAttempt(3);
    write.beginAttempt(4);
    answer(new OperationReply.ResultReply(1, OperationResult.FALSE));
    assertThat(write.result()).isNull();
    answer(new OperationReply.ResultReply(2, OperationResult.TRUE));
    assertThat(write.result()).isSameAs(OperationResult.TRUE);
  }

  @Test
  void endsWhenAllOtherWritersHoldIt() {
    held(3, 0, 3, OperationResult.FALSE);
    held(3, 2, 3, null);
    assertThat(write.result()).isNull();
    held(3, 1, 3, null);
    assertThat(write.result()).isSameAs(OperationResult.FALSE);
  }

  @Test
  void resultMayArriveLast() {
    held(3, 1, 2, null);
    assertThat(write.result()).isNull();
    held(3, 0, 2, OperationResult.ABSENT);
    assertThat(write.result()).isSameAs(OperationResult.ABSENT);
  }

  @Test
  void doesNotEndWithoutTheResult() {
    held(3, 0, 2, null);
    held(3, 1, 2, null);
    assertThat(write.result()).isNull();
  }

  @Test
  void duplicateAcknowledgementCountsOnce() {
    held(3, 0, 3, OperationResult.TRUE);
    held(3, 0, 3, OperationResult.TRUE);
    held(3, 0, 3, null);
    assertThat(write.result()).isNull();
  }

  @Test
  void duplicateAcknowledgementCountsOnceForAnyPosition() {
    held(1, 0, 3, OperationResult.TRUE);
    held(1, 70, 3, null);
    held(1, 70, 3, null);
    assertThat(write.result()).isNull();
    held(1, 71, 3, null);
    assertThat(write.result()).isSameAs(OperationResult.TRUE);
  }

  @Test
  void refusalOfTheSecondAttemptKeepsTheFirstInDoubt() {
    write.beginAttempt(5);
    write.beginAttempt(5);
    answer(new OperationReply.RefusedReply(2, false));
    assertThat(write.isDoubtful()).isTrue();
  }

  @Test
  void newEpochResetsTheCount() {
    held(3, 0, 2, OperationResult.TRUE);
    held(4, 1, 2, null);
    assertThat(write.result()).as("there is one reply of each epoch").isNull();
    held(3, 0, 2, OperationResult.TRUE);
    assertThat(write.result()).as("the earlier epoch is over").isNull();
    held(4, 0, 2, OperationResult.FALSE);
    assertThat(write.result()).isSameAs(OperationResult.FALSE);
  }

  @Test
  void resultOfAnEarlierEpochIsDropped() {
    held(3, 0, 2, OperationResult.TRUE);
    held(4, 0, 1, null);
    assertThat(write.result()).isNull();
  }

  @Test
  void countsMoreThanSixtyFourWriters() {
    int writers = 100;
    for (int place = 1; place < writers; place++) {
      held(1, place, writers, null);
    }
    assertThat(write.result()).isNull();
    held(1, 0, writers, OperationResult.TRUE);
    assertThat(write.result()).isSameAs(OperationResult.TRUE);
  }

  @Test
  void refusalCountsOnlyForTheLastAttempt() {
    write.beginAttempt(5);
    write.beginAttempt(5);
    answer(new OperationReply.RefusedReply(1, false));
    assertThat(write.isRefused()).isFalse();
    answer(new OperationReply.RefusedReply(2, false));
    assertThat(write.isRefused()).isTrue();
    assertThat(write.result()).isNull();
  }

  @Test
  void resultOfARefusedAttemptStillCounts() {
    write.beginAttempt(5);
    answer(new OperationReply.RefusedReply(1, false));
    answer(new OperationReply.ResultReply(1, OperationResult.TRUE));
    assertThat(write.result()).isSameAs(OperationResult.TRUE);
  }

  @Test
  void readReplyIsIgnoredByAWrite() {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> answer(new OperationReply.ReadReply(ReadResult.NOT_FOUND)))
        .withMessageContaining("ReadReply");
  }

  @Test
  void isInDoubtFromSendingUntilRefused() {
    assertThat(write.isDoubtful()).as("never sent").isFalse();
    write.beginAttempt(5);
    assertThat(write.isDoubtful()).isTrue();
    answer(new OperationReply.RefusedReply(1, false));
    assertThat(write.isDoubtful()).isFalse();
    write.beginAttempt(6);
    assertThat(write.isDoubtful()).isTrue();
  }

  @Test
  void staysInDoubtAfterAnUnansweredAttempt() {
    write.beginAttempt(5);
    write.beginAttempt(6);
    answer(new OperationReply.RefusedReply(2, false));
    assertThat(write.isRefused()).isTrue();
    assertThat(write.isDoubtful()).as("the attempt in epoch 5 may have been executed").isTrue();
  }

  @Test
  void wantOfRoomSaysThatNoAttemptOfItsEpochWasExecuted() {
    write.beginAttempt(5);
    answer(new OperationReply.RefusedReply(1, true));
    write.beginAttempt(5);
    answer(new OperationReply.NoRoomReply(2, WriteRefusal.DISK_FULL));
    assertThat(write.noRoom()).isEqualTo(WriteRefusal.DISK_FULL);
    assertThat(write.isDoubtful()).isFalse();

    write.beginAttempt(5);
    write.beginAttempt(6);
    answer(new OperationReply.NoRoomReply(4, WriteRefusal.DISK_FULL));
    assertThat(write.isDoubtful()).as("the attempt in epoch 5 may have been executed").isTrue();
  }

  @Test
  void staysInDoubtWhenTheEpochEndedBeforeTheCommit() {
    write.beginAttempt(5);
    answer(new OperationReply.RefusedReply(1, true));
    assertThat(write.isRefused()).isTrue();
    write.beginAttempt(6);
    answer(new OperationReply.RefusedReply(2, false));
    assertThat(write.isDoubtful()).isTrue();
  }

  @Test
  void noAttemptBeginsAfterAResult() {
    assertThat(write.beginAttempt(5)).isTrue();
    answer(new OperationReply.ResultReply(1, OperationResult.FALSE));
    assertThat(write.beginAttempt(6)).isFalse();
    assertThat(write.firstEpoch()).isEqualTo(5);
    assertThat(write.attempt()).isEqualTo(1);
    answer(new OperationReply.ResultReply(1, OperationResult.TRUE));
    assertThat(write.result()).as("the first answer stays").isSameAs(OperationResult.FALSE);
  }

  @Test
  void noAttemptBeginsAfterAFailure() {
    write.beginAttempt(5);
    answer(
        new OperationReply.FailedReply(
            1, "node", ByteSlice.of(ThrowableCodec.toBytes(new IllegalStateException("no")))));
    assertThat(write.beginAttempt(6)).isFalse();
    held(5, 0, 1, OperationResult.TRUE);
    assertThat(write.result()).isNull();
    assertThat(write.failure()).isNotNull();
  }

  @Test
  void resultAndNextAttemptExcludeEachOther() throws InterruptedException {
    for (int round = 0; round < 2_000; round++) {
      InFlightWrite one = new InFlightWrite(null);
      one.beginAttempt(5);
      Input in = bytes(new OperationReply.ResultReply(1, OperationResult.FALSE));
      Thread answers = Thread.ofPlatform().start(() -> one.onResponse(from, in));
      boolean again = one.beginAttempt(6);
      answers.join();
      assertThat(one.isEnded()).isNotEqualTo(again);
    }
  }

  @Test
  void concurrentRefusalLeavesTheNextAttemptInDoubt() throws InterruptedException {
    for (int round = 0; round < 2_000; round++) {
      InFlightWrite one = new InFlightWrite(null);
      one.beginAttempt(5);
      Input in = bytes(new OperationReply.RefusedReply(1, false));
      Thread answers = Thread.ofPlatform().start(() -> one.onResponse(from, in));
      one.beginAttempt(6);
      answers.join();
      assertThat(one.isRefused()).isFalse();
      assertThat(one.isDoubtful()).isTrue();
    }
  }
}
