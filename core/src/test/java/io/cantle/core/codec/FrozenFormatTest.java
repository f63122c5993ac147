package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.NamedFunctions;
import io.cantle.core.codec.LambdaCodec.Money;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Bytes that already exist in the world. A line here may be added but never changed: logs on disk
 * and keys in running grids contain these bytes.
 */
class FrozenFormatTest {
  private static final Codec CODEC =
      new Codec(
          ClassAllowList.of(List.of("io.cantle.core.codec")),
          FrozenFormatTest.class.getClassLoader(),
          NamedFunctions.NONE,
          LambdaCodec.all(LambdaCodec.MONEY),
          "n1");

  record P(int x, @Nullable String note) {}

  record Vector(Object value, String hex) {}

  private static final LocalDateTime TIME = LocalDateTime.of(2013, 1, 1, 5, 15, 7, 9);

  private static final List<Vector> KEYS =
      List.of(
          new Vector(true, "0102"),
          new Vector(false, "0101"),
          new Vector((byte) -2, "0103fe"),
          new Vector((short) 300, "0104d804"),
          new Vector(0, "010500"),
          new Vector(-1, "010501"),
          new Vector(1_000_000, "010580897a"),
          new Vector(Integer.MIN_VALUE, "0105ffffffff0f"),
          new Vector(5L, "01060a"),
          new Vector(Long.MIN_VALUE, "0106ffffffffffffffffff01"),
          new Vector(1.5f, "01073fc00000"),
          new Vector(-0.0, "01088000000000000000"),
          new Vector(Double.NaN, "01087ff8000000000000"),
          new Vector('A', "01090041"),
          new Vector("", "010a00"),
          new Vector("grün 😀", "010a0a6772c3bc6e20f09f9880"),
          new Vector("a\uD83D", "010b020061d83d"),
          new Vector(BigInteger.valueOf(-256), "010d02ff00"),
          new Vector(new BigDecimal("1.50"), "010e04020096"),
          new Vector(new UUID(1, -2), "010f0000000000000001fffffffffffffffe"),
          new Vector(
              DayOfWeek.MONDAY, "01101b136a6176612e74696d652e4461794f665765656b064d4f4e444159"),
          new Vector(Instant.ofEpochSecond(-1, 5), "01110105"),
          new Vector(LocalDate.of(2013, 1, 1), "0112b4f501"),
          new Vector(LocalTime.of(5, 15, 7, 9), "0113db930109"),
          new Vector(TIME, "0114b4f501db930109"),
          new Vector(Duration.ofMillis(-1), "011501c08faedc03"),
          new Vector(Period.of(1, -2, 3), "0116020306"),
          new Vector(Year.of(2013), "0117ba1f"),
          new Vector(YearMonth.of(2013, 12), "0118ba1f0c"),
          new Vector(MonthDay.of(2, 29), "0119021d"),
          new Vector(ZoneOffset.ofHours(-2), "011abf70"),
          new Vector(ZoneId.of("Europe/Berlin"), "011b0d4575726f70652f4265726c696e"),
          new Vector(OffsetTime.of(5, 15, 0, 0, ZoneOffset.ofHours(2)), "011cd4930100c070"),
          new Vector(OffsetDateTime.of(TIME, ZoneOffset.UTC), "011db4f501db93010900"),
          new Vector(
              ZonedDateTime.of(TIME, ZoneId.of("Europe/Berlin")),
              "011eb4f501db930109a0381b0d4575726f70652f4265726c696e"),
          new Vector(ZonedDateTime.of(TIME, ZoneOffset.ofHours(1)), "011eb4f501db930109a0381aa038"),
          new Vector(List.of(1, "a"), "011f0205020a0161"),
          new Vector(Arrays.asList(1, null), "011f02050200"),
          new Vector(
              new P(7, null),
              "01213027696f2e63616e746c652e636f72652e636f6465632e46726f7a656e466f726d6174546573"
                  + "742450020178046e6f7465050e00"),
          new Vector(
              List.of(new P(1, "a"), new P(2, "b")),
              "011f02213027696f2e63616e746c652e636f72652e636f6465632e46726f7a656e466f726d617454"
                  + "6573742450020178046e6f746505020a0161220005040a0162"),
          new Vector(new Money(258), "0123056d6f6e657909010000000000000102"),
          new Vector(
              List.of(new Money(1), new Money(2)),
              "011f0223056d6f6e65790901000000000000000124000901000000000000" + "0002"));

  private static final List<Vector> VALUES =
      List.of(
          new Vector(new ArrayList<>(List.of(1, 2)), "01200205020504"),
          new Vector(List.of(1, 2), "011f0205020504"),
          new Vector(
              new P(-1, "x"),
              "01213027696f2e63616e746c652e636f72652e636f6465632e46726f7a656e466f726d6174546573"
                  + "742450020178046e6f746505010a0178"));

  /** An object of each class with a tag of its own. */
  static List<Object> tagged() {
    return Stream.concat(KEYS.stream(), VALUES.stream())
        .map(Vector::value)
        .filter(value -> !(value instanceof P || value instanceof Enum || value instanceof Money))
        // The classes of time zones and of Arrays.asList are hidden, so they are skipped.
        .filter(value -> Modifier.isPublic(value.getClass().getModifiers()))
        .toList();
  }

  @Test
  void keyBytesAreFrozen() {
    for (Vector vector : KEYS) {
      byte[] bytes = HexFormat.of().parseHex(vector.hex);
      assertThat(HexFormat.of().formatHex(CODEC.encodeKey(vector.value)))
          .as("%s", vector.value)
          .isEqualTo(vector.hex);
      assertThat(CODEC.decodeKey(bytes, 0, bytes.length)).isEqualTo(vector.value);
      assertThat(CODEC.decodeValue(bytes, 0, bytes.length)).isEqualTo(vector.value);
    }
  }

  @Test
  void valueBytesAreFrozen() {
    for (Vector vector : VALUES) {
      byte[] bytes = HexFormat.of().parseHex(vector.hex);
      assertThat(HexFormat.of().formatHex(CODEC.encodeValue(vector.value)))
          .as("%s", vector.value)
          .isEqualTo(vector.hex);
      assertThat(CODEC.decodeValue(bytes, 0, bytes.length)).isEqualTo(vector.value);
    }
  }

  @Test
  void byteArrayBytesAreFrozen() {
    byte[] bytes = {1, ValueTag.BYTES, 2, 5, 6};
    assertThat(CODEC.encodeKey(new byte[] {5, 6})).isEqualTo(bytes);
    assertThat(CODEC.encodeValue(new byte[] {5, 6})).isEqualTo(bytes);
    assertThat((byte[]) CODEC.decodeKey(bytes, 0, bytes.length)).containsExactly(5, 6);
  }

  @Test
  void tagNumbersAreFrozen() {
    assertThat(ValueTag.RECORD_AGAIN).isEqualTo(34);
    assertThat(ValueTag.CODED_AGAIN).isEqualTo(36);
    assertThat(KEYS.stream().map(vector -> vector.hex.substring(2, 4)).distinct()).hasSize(32);
  }
}
