package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.NamedFunctions;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.LambdaCodec.Money;
import java.io.Serializable;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Damaged bytes give a value or a {@link MalformedException}, and nothing else. */
class CodecFuzzTest {
  private static final int ROUNDS = 5_000;

  private static final Codec CODEC =
      new Codec(
          ClassAllowList.of(List.of("io.cantle")),
          CodecFuzzTest.class.getClassLoader(),
          NamedFunctions.NONE,
          LambdaCodec.all(LambdaCodec.MONEY),
          "n1");

  record Item(String name, int count, BigDecimal price, List<Integer> sizes) {}

  record Order(
      long id, ZonedDateTime at, LocalDateTime due, List<Item> items, Colour colour, byte[] raw) {}

  record Loose(Map<String, Object> values, Order order) {}

  enum Colour {
    RED,
    BLUE
  }

  interface Mapping<A, B> extends Function<A, B>, Serializable {}

  @Test
  void damagedFrozenValues() {
    fuzz(
        4 * ROUNDS, CODEC.encodeValue(order()), bytes -> CODEC.decodeValue(bytes, 0, bytes.length));
  }

  @Test
  void damagedKeys() {
    byte[] key = CODEC.encodeKey(List.of(order(), "text", 5L, Colour.BLUE));
    fuzz(ROUNDS, key, bytes -> CODEC.decodeKey(bytes, 0, bytes.length));
  }

  @Test
  void damagedObjectsOfAUsersCodec() {
    List<Object> list =
        List.of(new Money(1), new Item("pear", 1, BigDecimal.TEN, List.of()), new Money(2));
    fuzz(2 * ROUNDS, CODEC.encodeValue(list), bytes -> CODEC.decodeValue(bytes, 0, bytes.length));
    fuzz(ROUNDS, CODEC.encodeKey(list), bytes -> CODEC.decodeKey(bytes, 0, bytes.length));
  }

  @Test
  void damagedObjects() {
    Loose loose =
        new Loose(
            Map.of("a", 1, "b", List.of("x"), "c", new long[] {1, 2}, "d", new Money(1)), order());
    fuzz(ROUNDS, CODEC.encodeValue(loose), bytes -> CODEC.decodeValue(bytes, 0, bytes.length));
  }

  @Test
  void damagedFunctions() {
    Item item = new Item("pear", 1, BigDecimal.TEN, List.of());
    Mapping<Integer, String> inner = number -> item.name() + number;
    Mapping<Integer, String> outer = number -> inner.apply(number) + number;
    Output out = new Output(64);
    CODEC.encodeFunction(outer, out);
    fuzz(
        ROUNDS,
        out.toByteArray(),
        bytes -> CODEC.decodeFunction(new Input(bytes), new CaptureSnapshot()));
  }

  @Test
  void bytesThatNeverWereAValue() {
    Random random = new Random(7);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      if (bytes.length > 0) {
        bytes[0] = (byte) (1 + random.nextInt(2));
      }
      attempt(bytes, damaged -> CODEC.decodeValue(damaged, 0, damaged.length));
    }
  }

  private static void fuzz(int rounds, byte[] good, Consumer<byte[]> decode) {
    assertThat(attempt(good, decode)).isTrue();
    int malformed = 0;
    for (int length = 0; length < good.length; length++) {
      malformed += attempt(Arrays.copyOf(good, length), decode) ? 0 : 1;
    }
    assertThat(malformed).isEqualTo(good.length);
    Random random = new Random(42);
    for (int round = 0; round < rounds; round++) {
      byte[] damaged = good.clone();
      int changes = 1 + random.nextInt(round % 4 == 0 ? 4 : 1);
      for (int i = 0; i < changes; i++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      attempt(damaged, decode);
    }
  }

  private static boolean attempt(byte[] bytes, Consumer<byte[]> decode) {
    try {
      decode.accept(bytes);
      return true;
    } catch (MalformedException e) {
      return false;
    }
  }

  private static Order order() {
    return new Order(
        123_456_789_012L,
        ZonedDateTime.of(2024, 10, 27, 2, 30, 0, 5, ZoneId.of("Europe/Berlin")),
        LocalDateTime.of(2013, 1, 1, 5, 15),
        List.of(
            new Item("pear", 3, new BigDecimal("1.50"), List.of(1, 2)),
            new Item("grün", -1, BigDecimal.ZERO, List.of())),
        Colour.RED,
        new byte[] {1, 2, 3});
  }
}
