package io.cantle.core.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SegmentSetTest {

  @Test
  void answersLikeABitSetThroughRandomChanges() {
    for (long seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      int limit = 1 + random.nextInt(300);
      SegmentSet set = SegmentSet.of();
      BitSet model = new BitSet();
      for (int step = 0; step < 50; step++) {
        int segment = random.nextInt(limit);
        SegmentSet before = set;
        BitSet modelBefore = (BitSet) model.clone();
        BitSet other = BitSet.valueOf(random.longs(limit / 64).toArray());
        assertThat(SegmentSet.of(other)).isEqualTo(ofBits(other));
        switch (random.nextInt(5)) {
          case 0 -> {
            set = set.without(segment);
            model.clear(segment);
          }
          case 1 -> {
            set = set.intersection(ofBits(other));
            model.and(other);
          }
          case 3 -> {
            set = set.without(ofBits(other));
            model.andNot(other);
          }
          case 2 -> {
            set = SegmentSet.range(segment, limit);
            model.clear();
            model.set(segment, limit);
          }
          default -> {
            model.or(other);
            set = ofBits(model);
          }
        }
        check(set, model);
        check(before, modelBefore);
        assertThat(reread(set, limit)).isEqualTo(set).hasSameHashCodeAs(set);
      }
    }
  }

  private static SegmentSet ofBits(BitSet bits) {
    return SegmentSet.of(bits.stream().toArray());
  }

  private static void check(SegmentSet set, BitSet model) {
    assertThat(set).isEqualTo(ofBits(model));
    assertThat(set.size()).isEqualTo(model.cardinality());
    assertThat(set.stream().toArray()).isEqualTo(model.stream().toArray());
    for (int segment = 0; segment < model.length() + 2; segment++) {
      assertThat(set.contains(segment)).isEqualTo(model.get(segment));
      assertThat(set.next(segment)).isEqualTo(model.nextSetBit(segment));
    }
    assertThat(set.contains(-1)).isFalse();
  }

  @Test
  void isShortOnTheWire() {
    assertThat(bytes(SegmentSet.of())).hasSize(2);
    assertThat(bytes(SegmentSet.of(77))).hasSize(4);
    assertThat(bytes(SegmentSet.range(0, 256))).hasSize(5);
    BitSet odd = new BitSet();
    for (int segment = 1; segment < 256; segment += 2) {
      odd.set(segment);
    }
    assertThat(bytes(ofBits(odd))).hasSize(34);
  }

  @Test
  void keepsItsBytes() {
    assertThat(bytes(SegmentSet.of(100, 101, 102, 107))).containsExactly(0, 101, 3, 5, 1, 0);
    assertThat(bytes(SegmentSet.of(0, 2, 4, 6))).containsExactly(1, 1, 0b0101_0101);
  }

  @Test
  void refusesMalformedBytes() {
    assertMalformed(8, 2);
    assertMalformed(8, 0, 1, 9, 0);
    assertMalformed(8, 0, 9, 1, 0);
    assertMalformed(8, 0, 1, 0, 0);
    assertMalformed(8, 0, 1, 8, 2, 1, 0);
    assertMalformed(8, 0, 1, 3);
    assertMalformed(8, 1, 2, 1, 1);
    assertMalformed(6, 1, 1, 0b0100_0000);
    assertMalformed(8, 1, 1);
    assertThat(SegmentSet.read(new Input(new byte[] {0, 1, 8, 0}), 8).size()).isEqualTo(8);
  }

  @Test
  void survivesAnyBytes() {
    Random random = new Random(9);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      if (bytes.length > 0) {
        bytes[0] &= 1;
      }
      try {
        SegmentSet set = SegmentSet.read(new Input(bytes), 100);
        assertThat(set.next(100)).isEqualTo(-1);
      } catch (MalformedException expected) {
        assertThat(expected).hasMessageNotContaining("null");
      }
    }
  }

  @Test
  void refusesSegmentsBeyondTheLimit() {
    assertThatThrownBy(() -> SegmentSet.of(65_536))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("segment 65536 is not within 0..65535");
    assertThatThrownBy(() -> SegmentSet.of(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SegmentSet.range(5, 4)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void toStringShowsRuns() {
    assertThat(SegmentSet.of(7, 0, 1, 2, 3, 9)).hasToString("{0-3, 7, 9}");
    assertThat(SegmentSet.of()).hasToString("{}");
  }

  private static void assertMalformed(int limit, int... bytes) {
    Output out = new Output(8);
    for (int b : bytes) {
      out.writeByte(b);
    }
    assertThatThrownBy(() -> SegmentSet.read(out.toInput(), limit))
        .isInstanceOf(MalformedException.class);
  }

  private static byte[] bytes(SegmentSet set) {
    Output out = new Output(8);
    set.write(out);
    return out.toByteArray();
  }

  private static SegmentSet reread(SegmentSet set, int limit) {
    Input in = new Input(bytes(set));
    SegmentSet read = SegmentSet.read(in, limit);
    assertThat(in.remaining()).isZero();
    return read;
  }
}
