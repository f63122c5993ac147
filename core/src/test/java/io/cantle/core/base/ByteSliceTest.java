package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

/** A {@link ByteSlice} stands for the bytes of its range and no others. */
final class ByteSliceTest {
  private final byte[] array = {0, 1, 2, 3, 4, 5};

  @Test
  void readSharesTheArrayAndAdvancesTheInput() {
    Output out = new Output(4);
    new ByteSlice(array, 2, 3).write(out);
    out.writeByte(9);

    Input in = out.toInput();
    ByteSlice read = ByteSlice.read(in);
    assertThat(read.bytes()).isSameAs(out.array());
    assertThat(read.toByteArray()).containsExactly(2, 3, 4);
    assertThat(in.readByte()).isEqualTo(9);
  }

  @Test
  void concatJoinsBothSlices() {
    assertThat(new ByteSlice(array, 4, 2).concat(new ByteSlice(array, 0, 1)))
        .containsExactly(4, 5, 0);
    assertThat(new ByteSlice(array, 4, 0).concat(ByteSlice.of(new byte[0]))).isEmpty();
  }

  @Test
  void concatOfTheTwoPartsOfAnArrayIsTheArray() {
    assertThat(new ByteSlice(array, 0, 2).concat(new ByteSlice(array, 2, 4))).isSameAs(array);
    assertThat(new ByteSlice(array, 0, 2).concat(new ByteSlice(array, 2, 3)))
        .containsExactly(0, 1, 2, 3, 4);
    assertThat(new ByteSlice(array, 1, 2).concat(new ByteSlice(array, 3, 3)))
        .containsExactly(1, 2, 3, 4, 5);
    assertThat(new ByteSlice(array, 0, 3).concat(new ByteSlice(array, 2, 4)))
        .containsExactly(0, 1, 2, 2, 3, 4, 5);
    assertThat(new ByteSlice(array, 0, 2).concat(new ByteSlice(array.clone(), 2, 4)))
        .isEqualTo(array)
        .isNotSameAs(array);
  }

  @Test
  void sliceOfAWholeArray() {
    assertThat(ByteSlice.of(array).toByteArray()).isEqualTo(array).isNotSameAs(array);
  }

  @Test
  void lengthBeyondTheMessageIsMalformed() {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> ByteSlice.read(new Input(new byte[] {4, 1, 2, 3})));
  }
}
