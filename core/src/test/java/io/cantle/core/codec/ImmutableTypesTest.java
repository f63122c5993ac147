package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.NamedFunctions;
import io.cantle.TypeCodec;
import io.cantle.TypeCodecs;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which objects a cache may hand out itself. */
final class ImmutableTypesTest {
  private final Codec codec =
      new Codec(
          ClassAllowList.of(List.of("io.cantle.core.codec")),
          ImmutableTypesTest.class.getClassLoader());

  enum Side {
    BUY,
    SELL {
      @Override
      boolean isSell() {
        return true;
      }
    };

    boolean isSell() {
      return false;
    }
  }

  sealed interface Shape permits Circle, Group, Nothing {}

  record Circle(double radius) implements Shape {}

  record Group(@Nullable Shape first, @Nullable Shape second) implements Shape {}

  enum Nothing implements Shape {
    NOTHING
  }

  record Order(UUID id, Side side, BigDecimal price, Instant at, Shape shape, long[] lines) {}

  record Trade(UUID id, Side side, BigDecimal price, ZonedDateTime at, Shape shape, ZoneId zone) {}

  record Named(String name, List<String> labels) {}

  record Anything(Object object) {}

  record Generic<T>(T value) {}

  sealed interface Half permits Circle2, Mutable {}

  record Circle2(double radius) implements Half {}

  static final class Mutable implements Half {
    int field;
  }

  record OfHalf(Half half) {}

  static final class Subclass extends BigInteger {
    private static final long serialVersionUID = 1;

    Subclass() {
      super("1");
    }
  }

  private void assertImmutable(Object... values) {
    for (Object value : values) {
      assertThat(codec.isImmutable(value)).as(value.getClass() + " " + value).isTrue();
    }
  }

  private void assertMutable(Object... values) {
    for (Object value : values) {
      assertThat(codec.isImmutable(value)).as(value.getClass() + " " + value).isFalse();
    }
  }

  @Test
  void valueTypesOfTheJdkAreImmutable() {
    assertImmutable(
        "text", 1, 1L, (short) 1, (byte) 1, 1.0, 1f, 'c', true, BigInteger.ONE, BigDecimal.TEN);
    assertImmutable(new UUID(1, 2), Instant.EPOCH, LocalDate.EPOCH, Duration.ZERO, Month.MAY);
    assertImmutable(ZoneId.of("Europe/Berlin"), ZoneId.of("+02:00"));
  }

  @Test
  void whatCanBeChangedIsNot() {
    assertMutable(new byte[0], new int[0], new String[0], new Object(), new Mutable());
    assertMutable(new BitSet(), new AtomicLong(), new Subclass());
    assertMutable(Map.of(), Optional.of("text"));
  }

  @Test
  void enumConstantsAreImmutable() {
    assertImmutable(Side.BUY, Side.SELL);
  }

  @Test
  void recordsAreDecidedByWhatTheirComponentsAreDeclaredAs() {
    Shape shape = new Group(new Circle(1), new Group(null, Nothing.NOTHING));
    ZoneId zone = ZoneId.of("Europe/Berlin");
    ZonedDateTime at = Instant.EPOCH.atZone(zone);
    assertImmutable(shape, new Trade(new UUID(1, 2), Side.SELL, BigDecimal.ONE, at, shape, zone));
    assertMutable(
        new Order(new UUID(1, 2), Side.BUY, BigDecimal.ONE, Instant.EPOCH, shape, new long[0]),
        new Named("name", List.of()),
        new Anything("text"),
        new Generic<>("text"),
        new OfHalf(new Circle2(1)));
  }

  record Price(BigDecimal amount, @Nullable Price before) {}

  record Quantity(int unit, BigInteger count) {}

  /** A user's subclass of such a number may have fields that change. */
  @Test
  void recordsOfNumbersThatHaveSubclassesAreDecidedByTheirComponents() {
    Price price = new Price(BigDecimal.TEN, null);
    assertImmutable(price, new Price(BigDecimal.ONE, price), new Quantity(1, BigInteger.TWO));
    Price changing = new Price(new BigDecimal("1") {}, null);
    assertMutable(changing, new Price(BigDecimal.ONE, changing), new Quantity(1, new Subclass()));
    assertMutable(List.of(price, changing));
  }

  @Test
  void unmodifiableListsAreDecidedByTheirElements() {
    assertImmutable(
        List.of(), List.of("a"), List.of("a", 1, Side.BUY), List.of(List.of(new Circle(1))));
    assertImmutable(Arrays.asList("a", null).stream().toList());
    assertMutable(
        List.of(new byte[0]), List.of("a", "b", new int[1]), List.of(List.of(new BitSet())));
    List<String> list = new ArrayList<>(List.of("a"));
    assertMutable(list, Collections.unmodifiableList(list), Arrays.asList("a"), list.subList(0, 1));
    assertMutable(List.of("a", "b", "c").subList(0, 2));
  }

  /** What it reads is not what it wrote. */
  private static <T> TypeCodec<T> lossy(Class<T> type, T read) {
    return new TypeCodec<>() {
      @Override
      public Class<T> type() {
        return type;
      }

      @Override
      public String name() {
        return type.getSimpleName();
      }

      @Override
      public void write(T value, DataOutput out) {}

      @Override
      public T read(DataInput in) {
        return read;
      }
    };
  }

  @Test
  void classWithACodecOfTheUserIsCopied() {
    Codec withCodecs =
        new Codec(
            ClassAllowList.of(List.of()),
            ImmutableTypesTest.class.getClassLoader(),
            NamedFunctions.NONE,
            new TypeCodecs(
                List.of(lossy(Circle.class, new Circle(0)), lossy(Side.class, Side.BUY))),
            "node");
    assertThat(withCodecs.isImmutable(new Circle(1))).isFalse();
    assertThat(withCodecs.isImmutable(new Group(null, null))).as("may hold a circle").isFalse();
    assertThat(withCodecs.isImmutable(Side.SELL)).isFalse();
    assertThat(withCodecs.isImmutable(Nothing.NOTHING)).isTrue();
  }

  /** Defines this test's classes anew. */
  private static final class OtherLoader extends ClassLoader {
    OtherLoader() {
      super(ImmutableTypesTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(Circle2.class.getName())) {
        return super.loadClass(name, resolve);
      }
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in == null ? new byte[0] : in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  void classThatIsDecodedInAnotherLoaderIsCopied() {
    Codec elsewhere = new Codec(ClassAllowList.of(List.of()), new OtherLoader());
    assertThat(elsewhere.isImmutable(new Circle2(1))).isFalse();
    assertThat(elsewhere.isImmutable(new Circle(1))).isTrue();
  }
}
