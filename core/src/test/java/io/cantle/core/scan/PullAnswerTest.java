package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import org.junit.jupiter.api.Test;

/** Tests which answers to pulls are refused. */
final class PullAnswerTest {
  private static Input answer(int segment, int count) {
    Output out = new Output(32);
    out.writeByte(ScanStatus.OK);
    out.writeVarint(segment + 1L);
    out.writeInt(count);
    out.writeInt(0);
    out.writeByte(ScanStatus.DONE);
    out.writeVarint(0);
    return out.toInput();
  }

  @Test
  void answerOfTheRequestedSegmentIsRead() {
    assertThat(PullAnswer.readSingle(answer(3, 0), 3)).isNotNull();
  }

  @Test
  void answerOfAnotherSegmentIsRefused() {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> PullAnswer.readSingle(answer(3, 0), 2))
        .withMessageContainingAll("segment 3", "segment 2");
  }

  @Test
  void negativeCountIsRefused() {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> PullAnswer.readSingle(answer(3, -1), 3));
  }
}
