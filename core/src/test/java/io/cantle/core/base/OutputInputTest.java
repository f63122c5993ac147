package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an {@link Output} wrote is read back, and malformed bytes are refused. */
final class OutputInputTest {

  @Test
  void readsBackEachKindAtItsLimits() {
    Output out = new Output(0);
    out.writeByte(0x1FF);
    out.writeBoolean(true);
    out.writeBoolean(false);
    out.writeInt(Integer.MIN_VALUE);
    out.writeLong(Long.MAX_VALUE);
    out.writeId(new UUID(1, -2));
    out.writeString("Gänse €uro 🦆");
    out.writeString("");
    out.writeBlob(new byte[] {1, 2, 3});
    out.writeBlob(new byte[] {9, 8, 7, 6}, 1, 2);
    out.write(new byte[] {5});

    Input in = out.toInput();
    assertThat(in.readByte()).isEqualTo(0xFF);
    assertThat(in.readBoolean()).isTrue();
    assertThat(in.readBoolean()).isFalse();
    assertThat(in.readInt()).isEqualTo(Integer.MIN_VALUE);
    assertThat(in.readLong()).isEqualTo(Long.MAX_VALUE);
    assertThat(in.readId()).isEqualTo(new UUID(1, -2));
    assertThat(in.readString()).isEqualTo("Gänse €uro 🦆");
    assertThat(in.readString()).isEmpty();
    assertThat(in.readBlob()).containsExactly(1, 2, 3);
    assertThat(in.readBlob()).containsExactly(8, 7);
    assertThat(in.readBytes(1)).containsExactly(5);
    assertThat(in.remaining()).isZero();
  }

  @Test
  void fixedNumbersAreBigEndian() {
    Output out = new Output(16);
    out.writeInt(0x01020304);
    out.writeLong(0x0506070809L);
    assertThat(out.toByteArray()).containsExactly(1, 2, 3, 4, 0, 0, 0, 5, 6, 7, 8, 9);
  }

  @Test
  void varintsUseSevenBitsPerByte() {
    assertThat(varint(0)).containsExactly(0);
    assertThat(varint(127)).containsExactly(127);
    assertThat(varint(128)).containsExactly(0x80, 1);
    assertThat(varint(-1)).hasSize(10);
    assertThat(varint(1L << 62)).hasSize(9);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, Integer.MAX_VALUE})
  void lengthOfAVarintIsKnownBefore(int value) {
    assertThat(Output.varintBytes(value)).isEqualTo(varint(value).length);
  }

  @Test
  void fullOutputIsFinishedWithoutACopy() {
    Output out = new Output(2);
    out.writeByte(1);
    assertThat(out.finish()).containsExactly(1);
    out.writeVarint(2);
    assertThat(out.finish()).isSameAs(out.array()).containsExactly(1, 2);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, 1, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, 1L << 40, Long.MAX_VALUE})
  void varintsRoundTrip(long value) {
    assertThat(new Input(varint(value)).readVarint()).isEqualTo(value);
    assertThat(new Input(varint(-value)).readVarint()).isEqualTo(-value);
    assertThat(new Input(varint(Long.MIN_VALUE + value)).readVarint())
        .isEqualTo(Long.MIN_VALUE + value);
  }

  @Test
  void outputGrowsFromZeroCapacity() {
    Random random = new Random(17);
    Output out = new Output(0);
    List<byte[]> blobs = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      byte[] blob = new byte[random.nextInt(200)];
      random.nextBytes(blob);
      blobs.add(blob);
      out.writeBlob(blob);
    }
    Input in = new Input(out.array(), 0, out.position());
    for (byte[] blob : blobs) {
      assertThat(in.readBlob()).isEqualTo(blob);
    }
    assertThat(in.remaining()).isZero();
  }

  @Test
  void patchesANumberWrittenBefore() {
    Output out = new Output(4);
    out.writeByte(7);
    out.writeInt(0);
    out.writeByte(8);
    out.patchInt(1, -2);

    Input in = out.toInput();
    in.skip(1);
    assertThat(in.readInt()).isEqualTo(-2);
    assertThat(in.readByte()).isEqualTo(8);
    assertThatIllegalArgumentException().isThrownBy(() -> out.patchInt(3, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> out.patchInt(-1, 1));
  }

  @Test
  void truncateDiscardsLaterBytes() {
    Output out = new Output(4);
    out.writeInt(1);
    out.writeInt(2);
    out.truncate(4);
    out.writeByte(3);
    assertThat(out.toByteArray()).containsExactly(0, 0, 0, 1, 3);
    assertThatIllegalArgumentException().isThrownBy(() -> out.truncate(6));
    assertThatIllegalArgumentException().isThrownBy(() -> out.truncate(-1));
  }

  @Test
  void sliceOfAnInputIsBounded() {
    Input in = new Input(new byte[] {1, 2, 3, 4, 5}, 1, 3);
    Input slice = in.slice(2);
    assertThat(slice.readBytes(2)).containsExactly(2, 3);
    assertMalformed(slice::readByte);
    assertThat(in.readByte()).isEqualTo(4);
    assertMalformed(in::readByte);
  }

  @Test
  void readingStopsAtTheLimitWithinALongerArray() {
    byte[] bytes = new byte[20];
    assertMalformed(() -> new Input(bytes, 0, 0).readByte());
    assertMalformed(() -> new Input(bytes, 0, 3).readInt());
    assertMalformed(() -> new Input(bytes, 0, 7).readLong());
    assertMalformed(() -> new Input(bytes, 0, 3).readBytes(4));
    assertMalformed(() -> new Input(bytes, 0, 3).skip(4));
    assertMalformed(() -> new Input(bytes, 0, 3).slice(4));
    assertMalformed(() -> new Input(bytes, 0, 3).readBytes(-1));
    assertMalformed(() -> new Input(bytes, 0, 3).skip(-1));
  }

  @Test
  void lengthBeyondTheEndIsRefusedBeforeAllocation() {
    Output out = new Output(16);
    out.writeVarint(Integer.MAX_VALUE);
    assertMalformed(() -> out.toInput().readBlob());
    assertMalformed(() -> out.toInput().readString());
    Output negative = new Output(16);
    negative.writeVarint(-5);
    assertMalformed(() -> negative.toInput().readBlob());
  }

  @Test
  void countBeyondItsLimitIsMalformed() {
    assertThat(new Input(varint(5)).readCount(5)).isEqualTo(5);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> new Input(varint(6)).readCount(5))
        .withMessageContainingAll("6", "5");
    assertMalformed(() -> new Input(varint(-1)).readCount(Integer.MAX_VALUE));
    assertMalformed(() -> new Input(varint(1L << 32)).readCount(Integer.MAX_VALUE));
  }

  @Test
  void varintWithoutEndIsMalformed() {
    byte[] bytes = new byte[12];
    java.util.Arrays.fill(bytes, (byte) 0x80);
    assertMalformed(() -> new Input(bytes).readVarint());
    assertMalformed(() -> new Input(bytes, 0, 3).readVarint());
  }

  @Test
  void booleanIsZeroOrOne() {
    assertMalformed(() -> new Input(new byte[] {2}).readBoolean());
  }

  @Test
  void rangeOutsideTheArrayIsAnIllegalArgument() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Input(new byte[4], 2, 3));
    assertThatIllegalArgumentException().isThrownBy(() -> new Input(new byte[4], -1, 3));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Input(new byte[4], 1, Integer.MAX_VALUE));
    assertThatIllegalArgumentException().isThrownBy(() -> new Input(new byte[4], 5, -1));
  }

  private static byte[] varint(long value) {
    Output out = new Output(0);
    out.writeVarint(value);
    return out.toByteArray();
  }

  private static void assertMalformed(org.assertj.core.api.ThrowableAssert.ThrowingCallable read) {
    assertThatExceptionOfType(MalformedException.class).isThrownBy(read);
  }

  @Test
  void stringIsNotReadBeyondTheEnd() {
    byte[] bytes = {3, 'a', 'b', 'c'};
    assertMalformed(() -> new Input(bytes, 0, 3).readString());
    assertMalformed(() -> new Input(new byte[] {3, 'a', 'b'}).readString());
  }

  @Test
  void varintOfMoreThanSixtyFourBitsIsMalformed() {
    byte[] bytes = varint(-1);
    bytes[9] = 2;
    assertMalformed(() -> new Input(bytes).readVarint());
  }

  @Test
  void outputRefusesMoreThanItsLimit() {
    Output out = new Output(4);
    out.limit(100);
    out.write(new byte[90]);
    assertThatExceptionOfType(OutputFullException.class)
        .isThrownBy(() -> out.write(new byte[11]))
        .withMessageContaining("100");
    assertThat(out.position()).isEqualTo(90);
    assertThat(out.array()).hasSizeLessThanOrEqualTo(100);
    out.limit(Integer.MAX_VALUE);
    out.write(new byte[11]);
    assertThat(out.position()).isEqualTo(101);
  }
}
