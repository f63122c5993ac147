package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

/** A part of an array stands for its bytes and no others. */
final class SliceTest {
  private final byte[] array = {0, 1, 2, 3, 4, 5};

  @Test
  void readsWithoutCopyingAndGoesOnBehind() {
    Output out = new Output(4);
    new Slice(array, 2, 3).write(out);
    out.writeByte(9);

    Input in = out.toInput();
    Slice read = Slice.read(in);
    assertThat(read.bytes()).isSameAs(out.array());
    assertThat(read.toByteArray()).containsExactly(2, 3, 4);
    assertThat(in.readByte()).isEqualTo(9);
  }

  @Test
  void oneFollowsTheOther() {
    assertThat(new Slice(array, 4, 2).followedBy(new Slice(array, 0, 1))).containsExactly(4, 5, 0);
    assertThat(new Slice(array, 4, 0).followedBy(Slice.of(new byte[0]))).isEmpty();
  }

  @Test
  void aWholeArrayIsItsOwnSlice() {
    assertThat(Slice.of(array).toByteArray()).isEqualTo(array).isNotSameAs(array);
  }

  @Test
  void aLengthBeyondTheMessageIsMalformed() {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Slice.read(new Input(new byte[] {4, 1, 2, 3})));
  }
}
