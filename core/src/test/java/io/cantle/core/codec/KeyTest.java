package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.MalformedException;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyTest {
  private static final Codec CODEC =
      new Codec(ClassAllowList.of(List.of("io.cantle.core.codec")), KeyTest.class.getClassLoader());

  enum Colour {
    RED {
      @Override
      int wave() {
        return 700;
      }
    },
    BLUE;

    int wave() {
      return 450;
    }
  }

  record Point(int x, int y) {}

  record Anything(@Nullable Object value) {}

  /** Keys that are all different from each other by {@code equals}. */
  private static final List<Object> KEYS =
      List.of(
          true,
          false,
          (byte) -1,
          Byte.MAX_VALUE,
          (short) 1,
          Short.MIN_VALUE,
          0,
          1,
          -1,
          Integer.MAX_VALUE,
          Integer.MIN_VALUE,
          0L,
          1L,
          Long.MAX_VALUE,
          Long.MIN_VALUE,
          0f,
          -0f,
          Float.NaN,
          1.5f,
          0d,
          -0d,
          Double.NaN,
          Double.NEGATIVE_INFINITY,
          'a',
          '\uD800',
          "",
          "a",
          "?",
          "grün",
          "日本",
          "😀",
          "\uD83D",
          "\uDE00",
          "?\uD83Dx",
          "12345678?",
          "?2345678",
          "\uD83D2345678",
          "12345678\uD83D",
          new BigInteger("-12345678901234567890"),
          BigInteger.ZERO,
          new BigDecimal("1.0"),
          new BigDecimal("1.00"),
          new BigDecimal("1E+9"),
          new UUID(1, -2),
          Colour.RED,
          Colour.BLUE,
          DayOfWeek.MONDAY,
          Instant.MIN,
          Instant.MAX,
          Instant.ofEpochSecond(-1, 1),
          LocalDate.MIN,
          LocalDate.of(2013, 1, 1),
          LocalTime.MIDNIGHT,
          LocalTime.MAX,
          LocalDateTime.MIN,
          LocalDateTime.of(2013, 1, 1, 5, 15),
          Duration.ofNanos(-1),
          Duration.ZERO,
          Period.of(1, -2, 3),
          Year.of(2013),
          YearMonth.of(-5, 12),
          MonthDay.of(2, 29),
          ZoneOffset.UTC,
          ZoneOffset.ofHours(-18),
          ZoneId.of("Europe/Berlin"),
          ZoneId.of("UTC"),
          OffsetTime.of(LocalTime.NOON, ZoneOffset.ofHours(2)),
          OffsetDateTime.of(LocalDateTime.of(2013, 1, 1, 5, 15), ZoneOffset.ofHours(2)),
          ZonedDateTime.of(LocalDateTime.of(2013, 1, 1, 5, 15), ZoneId.of("Europe/Berlin")),
          // The hour that occurs twice in autumn: the same local time with another offset.
          ZonedDateTime.ofStrict(
              LocalDateTime.of(2024, 10, 27, 2, 30),
              ZoneOffset.ofHours(1),
              ZoneId.of("Europe/Berlin")),
          ZonedDateTime.ofStrict(
              LocalDateTime.of(2024, 10, 27, 2, 30),
              ZoneOffset.ofHours(2),
              ZoneId.of("Europe/Berlin")),
          ZonedDateTime.of(LocalDateTime.of(2024, 10, 27, 2, 30), ZoneOffset.ofHours(2)),
          new Point(1, 2),
          new Point(2, 1),
          new Anything(1),
          new Anything(1L),
          new Anything(null),
          new Anything(new Point(1, 2)),
          new Anything(List.of(new Point(1, 2), new Point(1, 2), new Anything(new Point(3, 4)))),
          List.of(),
          List.of(List.of()),
          List.of(1, 2),
          Arrays.asList(1, null),
          List.of("ab"),
          List.of("a", "b"));

  @Test
  void errorNamesAKeyThatCannotBeDecoded() {
    byte[] good = CODEC.encodeKey("k");
    assertThat(CODEC.keyForError(good)).isEqualTo("k");
    Codec strict = new Codec(ClassAllowList.of(List.of()), KeyTest.class.getClassLoader());
    for (byte[] bytes : List.of(CODEC.encodeKey(Colour.RED), new byte[] {99}, new byte[0])) {
      Object named = strict.keyForError(bytes);
      assertThat(named).isNotInstanceOf(String.class);
      assertThat(named.toString())
          .startsWith("a key of " + bytes.length + " bytes that cannot be decoded: ");
    }
    assertThat(strict.keyForError(CODEC.encodeKey(Colour.RED)).toString())
        .contains(Colour.class.getName());
  }

  @Test
  void everyKeyRoundTripsEqual() {
    for (Object key : KEYS) {
      assertThat(roundTrip(key)).isEqualTo(key).hasSameHashCodeAs(key);
    }
  }

  @Test
  void differentKeysHaveDifferentBytes() {
    for (Object one : KEYS) {
      for (Object other : KEYS) {
        assertThat(Arrays.equals(CODEC.encodeKey(one), CODEC.encodeKey(other)))
            .as("%s and %s", one, other)
            .isEqualTo(one.equals(other));
      }
    }
  }

  @Test
  void equalKeysCreatedDifferentlyHaveEqualBytes() {
    assertThat(CODEC.encodeKey(new ArrayList<>(List.of(1, "a"))))
        .isEqualTo(CODEC.encodeKey(List.of(1, "a")))
        .isEqualTo(CODEC.encodeKey(new CopyOnWriteArrayList<>(List.of(1, "a"))))
        .isEqualTo(CODEC.encodeKey(List.of(0, 1, "a").subList(1, 3)));
    assertThat(CODEC.encodeKey(Double.longBitsToDouble(0x7ff0_0000_0000_0001L)))
        .isEqualTo(CODEC.encodeKey(Double.NaN));
    assertThat(CODEC.encodeKey(Float.intBitsToFloat(0x7f80_0001)))
        .isEqualTo(CODEC.encodeKey(Float.NaN));
  }

  @Test
  void byteArraysCompareByContent() {
    assertThat(CODEC.encodeKey(new byte[] {1, 2})).isEqualTo(CODEC.encodeKey(new byte[] {1, 2}));
    assertThat((byte[]) roundTrip(new byte[] {1, 2})).containsExactly(1, 2);
  }

  @Test
  void aKeyIsReadFromTheMiddleOfAnArray() {
    byte[] bytes = CODEC.encodeKey("key");
    byte[] around = new byte[bytes.length + 5];
    System.arraycopy(bytes, 0, around, 3, bytes.length);
    assertThat(CODEC.decodeKey(around, 3, bytes.length)).isEqualTo("key");
  }

  @Test
  void refusesOtherTypesAndSaysWhatToDo() {
    assertThatThrownBy(() -> CODEC.encodeKey(new AtomicInteger()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.util.concurrent.atomic.AtomicInteger")
        .hasMessageContaining("records and lists of these");
    assertThatThrownBy(() -> CODEC.encodeKey(Map.of())).hasMessageContaining("java.util.");
    assertThatThrownBy(() -> CODEC.encodeKey(Set.of())).hasMessageContaining("java.util.");
    assertThatThrownBy(() -> CODEC.encodeKey(new int[0])).hasMessageContaining("int[]");
    assertThatThrownBy(() -> CODEC.encodeKey(new BigDecimal("1") {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void namesThePlaceOfATypeThatIsRefused() {
    assertThatThrownBy(
            () -> CODEC.encodeKey(new Anything(List.of(1, new Anything(new AtomicInteger())))))
        .hasMessageContaining(
            "AtomicInteger in component 'value' of io.cantle.core.codec.KeyTest$Anything"
                + " in element 1 of a list in component 'value' of");
  }

  @Test
  void refusesKeysThatNestTooDeep() {
    Object key = 1;
    for (int i = 0; i < FrozenFormatWriter.MAX_DEPTH; i++) {
      key = List.of(key);
    }
    assertThat(roundTrip(key)).isEqualTo(key);
    Object deeper = List.of(key);
    assertThatThrownBy(() -> CODEC.encodeKey(deeper))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("64");
    List<Object> itself = new ArrayList<>();
    itself.add(itself);
    assertThatThrownBy(() -> CODEC.encodeKey(itself)).hasMessageContaining("themselves");
  }

  @Test
  void refusesBytesThatAreNoKey() {
    byte[] value = CODEC.encodeValue(Map.of(1, 2));
    assertThatThrownBy(() -> CODEC.decodeKey(value, 0, value.length))
        .isInstanceOf(MalformedException.class);
    byte[] longer = Arrays.copyOf(CODEC.encodeKey("key"), 10);
    assertThatThrownBy(() -> CODEC.decodeKey(longer, 0, longer.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("follow");
    assertThatThrownBy(() -> CODEC.decodeKey(new byte[] {1, 0}, 0, 2))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> CODEC.decodeKey(new byte[0], 0, 0))
        .isInstanceOf(MalformedException.class);
  }

  private Object roundTrip(Object key) {
    byte[] bytes = CODEC.encodeKey(key);
    return CODEC.decodeKey(bytes, 0, bytes.length);
  }
}
