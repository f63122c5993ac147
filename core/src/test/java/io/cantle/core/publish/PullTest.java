package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A request for elements as bytes. */
final class PullTest {
  private final Cursor inside = new Cursor(77, new byte[] {1, 2, 3}, Cursor.Kind.AFTER);

  private static byte[] bytes(Pull pull) {
    Output out = new Output(8);
    pull.write(out);
    return out.toByteArray();
  }

  @Test
  void comesBackWithoutATask() {
    Pull pull =
        new Pull(
            3,
            Scans.Part.KEY,
            null,
            1 << 20,
            true,
            1_024,
            false,
            List.of(new Want(0, Cursor.START), new Want(4_095, inside)));
    assertThat(Pull.read(new Input(bytes(pull)))).isEqualTo(pull);
  }

  @Test
  void comesBackWithATask() {
    Pull pull = new Pull(0, Scans.Part.ENTRY, new byte[] {9, 8}, 1, false, 1, true, List.of());
    Pull read = Pull.read(new Input(bytes(pull)));
    assertThat(read.task()).containsExactly(9, 8);
    assertThat(read.wants()).isEmpty();
    assertThat(read.part()).isEqualTo(Scans.Part.ENTRY);
    assertThat(read.keepsRefused()).isTrue();
  }

  @Test
  void comesBackWithKeys() {
    Want want = new Want(7, inside, List.of(new byte[] {1}, new byte[] {2, 3}));
    Pull pull = new Pull(0, Scans.Part.KEY, null, 1, true, 1, false, List.of(want));
    Want read = Pull.read(new Input(bytes(pull))).wants().getFirst();
    assertThat(read.cursor()).isEqualTo(inside);
    assertThat(read.keys()).containsExactly(new byte[] {1}, new byte[] {2, 3});
  }

  @Test
  void everyTruncationIsMalformed() {
    byte[] bytes =
        bytes(
            new Pull(
                3,
                Scans.Part.VALUE,
                new byte[] {9, 8},
                500,
                true,
                1_024,
                false,
                List.of(new Want(7, inside))));
    for (int length = 0; length < bytes.length; length++) {
      Input in = new Input(bytes, 0, length);
      assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> Pull.read(in));
    }
  }

  @Test
  void budgetsBeyondTheirLimitsAreMalformed() {
    for (Pull pull :
        List.of(
            new Pull(0, Scans.Part.KEY, null, (16 << 20) + 1, true, 1, false, List.of()),
            new Pull(0, Scans.Part.KEY, null, 1, true, (1 << 20) + 1, false, List.of()))) {
      byte[] bytes = bytes(pull);
      assertThatExceptionOfType(MalformedException.class)
          .isThrownBy(() -> Pull.read(new Input(bytes)))
          .withMessageContaining("exceeds");
    }
  }

  @Test
  void anUnknownPartIsMalformed() {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Pull.read(new Input(new byte[] {0, 3, 0, 1, 1, 0})))
        .withMessageContaining("part 3");
  }
}
