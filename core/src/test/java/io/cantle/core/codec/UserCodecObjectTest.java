package io.cantle.core.codec;

import static io.cantle.core.codec.LambdaCodec.MONEY;
import static io.cantle.core.codec.LambdaCodec.all;
import static io.cantle.core.codec.LambdaCodec.codec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.NamedFunctions;
import io.cantle.TypeCodecs;
import io.cantle.core.base.MalformedException;
import io.cantle.core.codec.LambdaCodec.Money;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Objects with a user's codec inside objects that have no frozen format. */
class UserCodecObjectTest {
  private static final String HERE = "io.cantle.core.codec";

  /** Plain enough for Fory to encode it without the codec. */
  static final class Point {
    int x;
    long y;
    @Nullable String name = "p";

    Point(int x) {
      this.x = x;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Point point && point.x == x;
    }

    @Override
    public int hashCode() {
      return x;
    }

    @Override
    public String toString() {
      return "point " + x + ":" + y + ":" + name;
    }
  }

  private static final LambdaCodec<Point> POINT =
      new LambdaCodec<>(
          "point",
          Point.class,
          (point, out) -> out.writeInt(point.x),
          in -> new Point(in.readInt()));

  private static final Codec STRICT = codec("n1", List.of(), all(MONEY, POINT));
  private static final Codec OPEN = codec("n1", List.of(HERE), all(MONEY, POINT));

  /**
   * Used by one test alone. Fory remembers in static fields how a class was written, by any codec
   * of the process. Once it has seen both ways for a class, it no longer compares them.
   */
  static final class Spot {
    int x;

    Spot(int x) {
      this.x = x;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Spot spot && spot.x == x;
    }

    @Override
    public int hashCode() {
      return x;
    }
  }

  /** Holds objects with a codec in fields of their own class and of any class. */
  static final class Purse {
    Money first = new Money(1);
    Object second = new Money(2);
    Money[] more = {new Money(3), first};
    Set<Money> most = Set.of(first);
  }

  @Test
  void userCodecWritesObjectsOfItsClass() {
    Map<String, Object> points = new HashMap<>(Map.of("a", new Point(1), "b", new Point(2)));
    assertThat(roundTrip(STRICT, points)).isEqualTo(points);
    Map<String, Object> map = new TreeMap<>(Map.of("a", new Money(1), "b", List.of(new Money(2))));
    assertThat(roundTrip(STRICT, map)).isEqualTo(map);
    Set<Money> set = Set.of(new Money(1), new Money(2));
    assertThat(roundTrip(STRICT, set)).isEqualTo(set);
    Money[] array = {new Money(1), new Money(2)};
    assertThat((Money[]) roundTrip(STRICT, array)).containsExactly(array);
    Purse back = (Purse) roundTrip(OPEN, new Purse());
    assertThat(back.first).isEqualTo(new Money(1));
    assertThat(back.second).isEqualTo(new Money(2));
    assertThat(back.more).containsExactly(new Money(3), new Money(1));
    assertThat(back.more[1]).as("it is one object still").isSameAs(back.first);
    assertThat(back.most).containsExactly(new Money(1));
  }

  @Test
  void codecExceptionIsReported() {
    Map<String, Object> map = new HashMap<>(Map.of("a", new Money(1)));
    Codec failing =
        codec(
            "n1",
            List.of(),
            all(
                LambdaCodec.money(
                    (money, out) -> {
                      throw new IOException("no ink");
                    },
                    in -> new Money(in.readByte()))));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> failing.encodeValue(map))
        .withMessageContainingAll("codec \"money\"", "no ink");
    byte[] bytes = STRICT.encodeValue(map);
    assertThatThrownBy(() -> failing.decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContainingAll("codec \"money\"", "8 of 9 bytes unread");
  }

  @Test
  void missingCodecIsReported() {
    Map<String, Object> map = new HashMap<>(Map.of("a", new Point(77), "b", new Point(78)));
    byte[] coded = OPEN.encodeValue(map);
    assertThat(refusal(codec("n2", List.of(HERE), all()), coded))
        .contains(Point.class.getName(), "the same codec", "GridConfig.codec");
    assertThat(refusal(codec("n3", List.of(), all()), coded))
        .contains(Point.class.getName(), "is not allowed");
    LambdaCodec<Point> renamed =
        new LambdaCodec<>("p", Point.class, POINT.writing(), POINT.reading());
    assertThat(refusal(codec("n4", List.of(), all(renamed)), coded))
        .contains("codec \"point\" is not registered on node n4");
  }

  @Test
  void objectsWrittenWithoutTheCodecAreStillRead() {
    LambdaCodec<Spot> spots =
        new LambdaCodec<>(
            "spot", Spot.class, (spot, out) -> out.writeInt(spot.x), in -> new Spot(in.readInt()));
    Map<String, Object> map = new HashMap<>(Map.of("a", new Spot(77), "b", new Spot(78)));
    byte[] plain = codec("n2", List.of(HERE), all()).encodeValue(map);
    Codec reader = codec("n1", List.of(HERE), all(spots));
    assertThat(reader.decodeValue(plain, 0, plain.length)).isEqualTo(map);
  }

  /** Fory knows some of these classes by number, and others not at all. */
  @Test
  void jdkClassesRoundTripToo() {
    TypeCodecs codecs =
        all(
            new LambdaCodec<>(
                "address",
                InetSocketAddress.class,
                (address, out) -> out.writeShort(address.getPort()),
                in -> InetSocketAddress.createUnresolved("host", in.readUnsignedShort())),
            new LambdaCodec<>(
                "bits",
                BitSet.class,
                (bits, out) -> out.writeLong(bits.toLongArray()[0]),
                in -> BitSet.valueOf(new long[] {in.readLong()})),
            new LambdaCodec<>(
                "thread",
                Thread.class,
                (thread, out) -> out.writeUTF(thread.getName()),
                in -> new Thread(in.readUTF())),
            new LambdaCodec<>(
                "map",
                HashMap.class,
                (map, out) -> out.writeInt(map.size()),
                in -> new HashMap<>(Map.of(in.readInt(), "of a codec"))),
            new LambdaCodec<>(
                "colour",
                Colour.class,
                (colour, out) -> out.writeByte(colour == Colour.RED ? 1 : 2),
                in -> in.readByte() == 1 ? Colour.RED : Colour.BLUE));
    Codec codec = codec("n1", List.of(HERE), codecs);
    Set<Object> set =
        Set.of(
            InetSocketAddress.createUnresolved("host", 1),
            BitSet.valueOf(new long[] {5}),
            new HashMap<>(Map.of("a", 1)),
            Colour.BLUE);
    byte[] bytes = codec.encodeValue(set);
    assertThat(codec("n2", List.of(HERE), codecs).decodeValue(bytes, 0, bytes.length))
        .isEqualTo(set);
    byte[] alone = codec.encodeValue(new HashMap<>(Map.of("a", 1)));
    assertThat(codec.decodeValue(alone, 0, alone.length)).isEqualTo(Map.of(1, "of a codec"));
    Thread barred = new Thread("t");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encodeValue(new Object[] {barred}))
        .withMessageContaining("java.lang.Thread is not allowed");
    byte[] list = codec.encodeValue(List.of(barred));
    assertThat((List<?>) codec.decodeValue(list, 0, list.length))
        .singleElement()
        .hasFieldOrPropertyWithValue("name", "t");
  }

  /** A class of the same name from another loader is another class. */
  @Test
  void classOfAnotherLoaderIsRefused() {
    byte[] bytes = OPEN.encodeValue(new HashMap<>(Map.of("a", new Point(1))));
    Codec elsewhere =
        new Codec(
            ClassAllowList.of(List.of()),
            new Twins(),
            NamedFunctions.NONE,
            all(MONEY, POINT),
            "n2");
    assertThat(refusal(elsewhere, bytes)).contains(Point.class.getName(), "is not allowed");
    byte[] value = elsewhere.encodeValue(new Point(3));
    assertThat(elsewhere.decodeValue(value, 0, value.length)).isEqualTo(new Point(3));
  }

  enum Colour {
    RED,
    BLUE
  }

  /** A loader with a Point class of its own. */
  private static final class Twins extends ClassLoader {
    Twins() {
      super(UserCodecObjectTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(Point.class.getName())) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] code = Objects.requireNonNull(in).readAllBytes();
        return defineClass(name, code, 0, code.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  private static String refusal(Codec codec, byte[] bytes) {
    try {
      codec.decodeValue(bytes, 0, bytes.length);
    } catch (MalformedException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("not refused");
  }

  private static Object roundTrip(Codec codec, Object value) {
    byte[] bytes = codec.encodeValue(value);
    assertThat(bytes[0]).isEqualTo((byte) Codec.OBJECT_FORM);
    // Another node has not seen the class before.
    Codec other = codec("n2", codec == OPEN ? List.of(HERE) : List.of(), all(MONEY, POINT));
    codec.decodeValue(bytes, 0, bytes.length);
    return other.decodeValue(bytes, 0, bytes.length);
  }
}
