package io.cantle.core.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import org.junit.jupiter.api.Test;

class SegmentCursorTest {

  @Test
  void holdsTheKeyOfAnEntryButNotItsValue() {
    SegmentCursor cursor =
        SegmentCursor.after(Entry.of(-5, new byte[] {1, 2, 3}, 2, 1, 1, false, 0, null));
    assertThat(cursor)
        .isEqualTo(new SegmentCursor(-5, new byte[] {1, 2}, SegmentCursor.CursorKind.AFTER));
    assertThat(cursor)
        .isNotEqualTo(new SegmentCursor(-5, new byte[] {1, 3}, SegmentCursor.CursorKind.AFTER));
    assertThat(cursor)
        .hasSameHashCodeAs(
            new SegmentCursor(-5, new byte[] {1, 2}, SegmentCursor.CursorKind.AFTER));
  }

  @Test
  void survivesTheWire() {
    SegmentCursor after =
        new SegmentCursor(
            0x8000_0000_0000_0001L, new byte[] {7, -1}, SegmentCursor.CursorKind.AFTER);
    SegmentCursor emptyKey = new SegmentCursor(0, new byte[0], SegmentCursor.CursorKind.AFTER);
    for (SegmentCursor cursor :
        new SegmentCursor[] {SegmentCursor.START, SegmentCursor.END, after, emptyKey}) {
      Input in = new Input(bytes(cursor));
      assertThat(SegmentCursor.read(in)).isEqualTo(cursor);
      assertThat(in.remaining()).isZero();
    }
  }

  @Test
  void keepsItsBytes() {
    assertThat(bytes(SegmentCursor.START)).containsExactly(0);
    assertThat(bytes(SegmentCursor.END)).containsExactly(2);
    assertThat(bytes(new SegmentCursor(258, new byte[] {9, 8}, SegmentCursor.CursorKind.AFTER)))
        .containsExactly(1, 0, 0, 0, 0, 0, 0, 1, 2, 2, 9, 8);
  }

  @Test
  void refusesMalformedBytes() {
    for (byte[] bytes :
        new byte[][] {{}, {3}, {1, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 5, 1, 2, 3, 4}}) {
      assertThatThrownBy(() -> SegmentCursor.read(new Input(bytes)))
          .isInstanceOf(MalformedException.class);
    }
  }

  private static byte[] bytes(SegmentCursor cursor) {
    Output out = new Output(8);
    cursor.write(out);
    return out.toByteArray();
  }
}
