package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.replica.Result;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagesOnly;
import io.cantle.core.transport.Requests;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A write that counts the answers of those that hold it. */
final class WriteTest {
  private final Member from = HandNetwork.member("from");
  private final Requests requests =
      new Requests(
          new HandNetwork().transport(from),
          new World(new HandClock(), Runnable::run, new Random(1)),
          (MessagesOnly) (kind, sender, request, body) -> {});
  private final Write write = new Write();

  private void answer(Output out) {
    Input in = out.toInput();
    in.skip(2);
    in.readVarint();
    write.answered(from, in);
  }

  private void held(int epoch, int place, int expected, @Nullable Result result) {
    answer(Answers.held(requests, 1, epoch, place, expected, result));
  }

  @Test
  void aResultOfAnEarlierTryInTheSameEpochHolds() {
    write.sentIn(3);
    write.sentIn(3);
    answer(Answers.result(requests, 1, 1, Result.FALSE));
    assertThat(write.result()).isSameAs(Result.FALSE);
  }

  @Test
  void whatNobodyKnowsAnyMoreEndsIt() {
    write.sentIn(2);
    write.sentIn(3);
    answer(Answers.inDoubt(requests, 1, 1));
    assertThat(write.ended()).as("of an earlier epoch").isFalse();
    answer(Answers.inDoubt(requests, 1, 2));
    assertThat(write.ended()).isTrue();
    assertThat(write.unknowable()).isTrue();
    assertThat(write.doubtful()).isTrue();
    assertThat(write.sentIn(4)).isFalse();
  }

  @Test
  void aTryThatWasRefusedIsNoneThatAnybodyCouldHaveForgotten() {
    write.sentIn(2);
    answer(Answers.refused(requests, 1, 1));
    write.sentIn(5);
    assertThat(write.begun()).isEqualTo(5);
    write.sentIn(6);
    assertThat(write.begun()).isEqualTo(5);
  }

  @Test
  void aResultIsFinal() {
    write.sentIn(2);
    answer(Answers.result(requests, 1, 1, Result.TRUE));
    assertThat(write.result()).isSameAs(Result.TRUE);
  }

  @Test
  void aResultOfATryInAnEarlierEpochIsNotTaken() {
    write.sentIn(3);
    write.sentIn(4);
    answer(Answers.result(requests, 1, 1, Result.FALSE));
    assertThat(write.result()).isNull();
    answer(Answers.result(requests, 1, 2, Result.TRUE));
    assertThat(write.result()).isSameAs(Result.TRUE);
  }

  @Test
  void endsWhenAllOthersHoldIt() {
    held(3, 0, 3, Result.FALSE);
    held(3, 2, 3, null);
    assertThat(write.result()).isNull();
    held(3, 1, 3, null);
    assertThat(write.result()).isSameAs(Result.FALSE);
  }

  @Test
  void theResultMayComeLast() {
    held(3, 1, 2, null);
    assertThat(write.result()).isNull();
    held(3, 0, 2, Result.ABSENT);
    assertThat(write.result()).isSameAs(Result.ABSENT);
  }

  @Test
  void withoutTheResultItDoesNotEnd() {
    held(3, 0, 2, null);
    held(3, 1, 2, null);
    assertThat(write.result()).isNull();
  }

  @Test
  void whoTellsTwiceCountsOnce() {
    held(3, 0, 3, Result.TRUE);
    held(3, 0, 3, Result.TRUE);
    held(3, 0, 3, null);
    assertThat(write.result()).isNull();
  }

  @Test
  void whoTellsTwiceCountsOnceWhateverItsPlace() {
    held(1, 0, 3, Result.TRUE);
    held(1, 70, 3, null);
    held(1, 70, 3, null);
    assertThat(write.result()).isNull();
    held(1, 71, 3, null);
    assertThat(write.result()).isSameAs(Result.TRUE);
  }

  @Test
  void aRefusalOfTheLastOfTwoTriesInOneEpochDoesNotEndTheDoubtOfTheFirst() {
    write.sentIn(5);
    write.sentIn(5);
    answer(Answers.refused(requests, 1, 2));
    assertThat(write.doubtful()).isTrue();
  }

  @Test
  void aNewEpochCountsAnew() {
    held(3, 0, 2, Result.TRUE);
    held(4, 1, 2, null);
    assertThat(write.result()).as("one of each epoch").isNull();
    held(3, 0, 2, Result.TRUE);
    assertThat(write.result()).as("the earlier epoch is over").isNull();
    held(4, 0, 2, Result.FALSE);
    assertThat(write.result()).isSameAs(Result.FALSE);
  }

  @Test
  void theResultOfAnEarlierEpochIsNotTakenAlong() {
    held(3, 0, 2, Result.TRUE);
    held(4, 0, 1, null);
    assertThat(write.result()).isNull();
  }

  @Test
  void manyWritersAreCountedBeyondTheBitsOfALong() {
    int writers = 100;
    for (int place = 1; place < writers; place++) {
      held(1, place, writers, null);
    }
    assertThat(write.result()).isNull();
    held(1, 0, writers, Result.TRUE);
    assertThat(write.result()).isSameAs(Result.TRUE);
  }

  @Test
  void aRefusalCountsOnlyForTheLastTry() {
    write.sentIn(5);
    write.sentIn(5);
    answer(Answers.refused(requests, 1, 1));
    assertThat(write.refused()).isFalse();
    answer(Answers.refused(requests, 1, 2));
    assertThat(write.refused()).isTrue();
    assertThat(write.result()).isNull();
  }

  @Test
  void anAnswerToARefusedTryStillCounts() {
    write.sentIn(5);
    answer(Answers.refused(requests, 1, 1));
    answer(Answers.result(requests, 1, 1, Result.TRUE));
    assertThat(write.result()).isSameAs(Result.TRUE);
  }

  @Test
  void anAnswerToAReadIsNoneToAWrite() {
    assertThatIllegalStateException()
        .isThrownBy(() -> answer(Answers.found(requests, 1, Found.NOTHING)))
        .withMessageContaining("3");
  }

  @Test
  void isInDoubtFromItsSendingUntilItIsRefused() {
    assertThat(write.doubtful()).as("never sent").isFalse();
    write.sentIn(5);
    assertThat(write.doubtful()).isTrue();
    answer(Answers.refused(requests, 1, 1));
    assertThat(write.doubtful()).isFalse();
    write.sentIn(6);
    assertThat(write.doubtful()).isTrue();
  }

  @Test
  void staysInDoubtOnceATryGotNoAnswer() {
    write.sentIn(5);
    write.sentIn(6);
    answer(Answers.refused(requests, 1, 2));
    assertThat(write.refused()).isTrue();
    assertThat(write.doubtful()).as("the try in epoch 5 may have been carried out").isTrue();
  }

  @Test
  void staysInDoubtWhenTheEpochEndedBeforeTheCommit() {
    write.sentIn(5);
    answer(Answers.overtaken(requests, 1, 1));
    assertThat(write.refused()).isTrue();
    write.sentIn(6);
    answer(Answers.refused(requests, 1, 2));
    assertThat(write.doubtful()).isTrue();
  }

  @Test
  void afterAnAnswerThereIsNoOtherTry() {
    assertThat(write.sentIn(5)).isTrue();
    answer(Answers.result(requests, 1, 1, Result.FALSE));
    assertThat(write.sentIn(6)).isFalse();
    assertThat(write.sentEpoch()).isEqualTo(5);
    assertThat(write.attempt()).isEqualTo(1);
    answer(Answers.result(requests, 1, 1, Result.TRUE));
    assertThat(write.result()).as("the first answer stays").isSameAs(Result.FALSE);
  }

  @Test
  void afterAFailureThereIsNoOtherTry() {
    requests.start();
    write.sentIn(5);
    answer(Answers.failed(requests, 1, 1, Thrown.bytes(new IllegalStateException("no"))));
    assertThat(write.sentIn(6)).isFalse();
    held(5, 0, 1, Result.TRUE);
    assertThat(write.result()).isNull();
    assertThat(write.failure()).isNotNull();
  }

  @Test
  void anAnswerAndANextTryAtTheSameTimeExcludeEachOther() throws InterruptedException {
    for (int round = 0; round < 2_000; round++) {
      Write one = new Write();
      one.sentIn(5);
      Input in = Answers.result(requests, 1, 1, Result.FALSE).toInput();
      in.skip(2);
      in.readVarint();
      Thread answers = Thread.ofPlatform().start(() -> one.answered(from, in));
      boolean again = one.sentIn(6);
      answers.join();
      assertThat(one.ended()).isNotEqualTo(again);
    }
  }

  @Test
  void aRefusalAndANextTryAtTheSameTimeLeaveTheNextTryInDoubt() throws InterruptedException {
    for (int round = 0; round < 2_000; round++) {
      Write one = new Write();
      one.sentIn(5);
      Input in = Answers.refused(requests, 1, 1).toInput();
      in.skip(2);
      in.readVarint();
      Thread answers = Thread.ofPlatform().start(() -> one.answered(from, in));
      one.sentIn(6);
      answers.join();
      assertThat(one.refused()).isFalse();
      assertThat(one.doubtful()).isTrue();
    }
  }
}
