package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import org.junit.jupiter.api.Test;

class CursorTest {

  @Test
  void namesTheKeyOfAnEntryAndNotItsValue() {
    Cursor cursor = Cursor.after(new Entry(-5, new byte[] {1, 2, 3}, 2, 1, 1, false));
    assertThat(cursor).isEqualTo(new Cursor(-5, new byte[] {1, 2}, Cursor.Kind.AFTER));
    assertThat(cursor).isNotEqualTo(new Cursor(-5, new byte[] {1, 3}, Cursor.Kind.AFTER));
    assertThat(cursor).hasSameHashCodeAs(new Cursor(-5, new byte[] {1, 2}, Cursor.Kind.AFTER));
  }

  @Test
  void survivesTheWire() {
    Cursor after = new Cursor(0x8000_0000_0000_0001L, new byte[] {7, -1}, Cursor.Kind.AFTER);
    Cursor emptyKey = new Cursor(0, new byte[0], Cursor.Kind.AFTER);
    for (Cursor cursor : new Cursor[] {Cursor.START, Cursor.END, after, emptyKey}) {
      Input in = new Input(bytes(cursor));
      assertThat(Cursor.read(in)).isEqualTo(cursor);
      assertThat(in.remaining()).isZero();
    }
  }

  @Test
  void keepsItsBytes() {
    assertThat(bytes(Cursor.START)).containsExactly(0);
    assertThat(bytes(Cursor.END)).containsExactly(2);
    assertThat(bytes(new Cursor(258, new byte[] {9, 8}, Cursor.Kind.AFTER)))
        .containsExactly(1, 0, 0, 0, 0, 0, 0, 1, 2, 2, 9, 8);
  }

  @Test
  void refusesMalformedBytes() {
    for (byte[] bytes :
        new byte[][] {{}, {3}, {1, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 5, 1, 2, 3, 4}}) {
      assertThatThrownBy(() -> Cursor.read(new Input(bytes)))
          .isInstanceOf(MalformedException.class);
    }
  }

  private static byte[] bytes(Cursor cursor) {
    Output out = new Output(8);
    cursor.write(out);
    return out.toByteArray();
  }
}
