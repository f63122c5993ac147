package io.cantle.core.codec;

import static io.cantle.core.codec.LambdaCodec.MONEY;
import static io.cantle.core.codec.LambdaCodec.all;
import static io.cantle.core.codec.LambdaCodec.codec;
import static io.cantle.core.codec.LambdaCodec.money;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.OutputFullException;
import io.cantle.core.codec.LambdaCodec.Money;
import io.cantle.function.SerializablePredicate;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Objects of classes with a user's codec. */
class TypeCodecTest {
  private static final String HERE = "io.cantle.core.codec";

  /** Allows no class, and Money would be refused even if allowed: it holds a thread. */
  private final Codec strict = codec("n1", List.of(), all(MONEY));

  private final Codec open = codec("n1", List.of(HERE), all(MONEY));

  record Price(String item, Money money) {}

  /** The same record in an older or newer program; its name has the same length. */
  record Pric2(String item) {}

  enum Colour {
    RED {
      @Override
      int shade() {
        return 1;
      }
    },
    BLUE {
      @Override
      int shade() {
        return 2;
      }
    };

    abstract int shade();
  }

  /** Plain enough for Fory to encode it. */
  static class Plain {
    int number;

    Plain(int number) {
      this.number = number;
    }
  }

  static final class Special extends Plain {
    Special(int number) {
      super(number);
    }
  }

  private static final LambdaCodec<Plain> PLAIN =
      new LambdaCodec<>(
          "plain",
          Plain.class,
          (plain, out) -> out.writeInt(plain.number),
          in -> new Plain(in.readInt()));

  @Test
  void userCodecWorksAnywhereWithoutAllowList() {
    Money money = new Money(5);
    assertThat(roundTrip(strict, money)).isEqualTo(money).isNotSameAs(money);
    assertThat(roundTrip(strict.frozenOnly(), money)).isEqualTo(money);
    List<Object> list = List.of(money, "a", new ArrayList<>(List.of(new Money(6), new Money(7))));
    assertThat(roundTrip(strict.frozenOnly(), list)).isEqualTo(list);
    Price price = new Price("pear", money);
    assertThat(roundTrip(open.frozenOnly(), price)).isEqualTo(price);
    byte[] key = open.encodeKey(List.of(price, money));
    assertThat(open.decodeKey(key, 0, key.length)).isEqualTo(List.of(price, money));
    assertThat(open.encodeKey(List.of(new Price("pear", new Money(5)), new Money(5))))
        .isEqualTo(key);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> strict.encodeValue(price))
        .withMessageContaining("Price is not allowed");
  }

  @Test
  void codecIsNamedOncePerPayload() {
    int one = strict.encodeValue(List.of(new Money(1))).length;
    int two = strict.encodeValue(List.of(new Money(1), new Money(2))).length;
    assertThat(two - one).isEqualTo(1 + 1 + 1 + 9);
  }

  @Test
  void codecReplacesRecordEnumAndObjectForms() {
    Codec codec =
        codec(
            "n1",
            List.of(HERE),
            all(
                PLAIN,
                new LambdaCodec<>(
                    "price",
                    Price.class,
                    (price, out) -> out.writeUTF(price.item()),
                    in -> new Price(in.readUTF(), new Money(8))),
                new LambdaCodec<>(
                    "colour",
                    Colour.class,
                    (colour, out) -> out.writeByte(colour.shade()),
                    in -> in.readByte() == 1 ? Colour.RED : Colour.BLUE),
                new LambdaCodec<>(
                    "bits",
                    BitSet.class,
                    (bits, out) -> out.writeLong(bits.toLongArray()[0]),
                    in -> BitSet.valueOf(new long[] {in.readLong()}))));
    assertThat(roundTrip(codec, new Price("pear", new Money(1))))
        .isEqualTo(new Price("pear", new Money(8)));
    assertThat(((Plain) roundTrip(codec.frozenOnly(), new Plain(7))).number).isEqualTo(7);
    assertThat(roundTrip(codec, Colour.BLUE)).isEqualTo(Colour.BLUE);
    assertThat(text(codec.encodeValue(Colour.BLUE))).doesNotContain("BLUE");
    BitSet bits = BitSet.valueOf(new long[] {5});
    assertThat(roundTrip(codec.frozenOnly(), bits)).isEqualTo(bits);
  }

  @Test
  void valuesWrittenWithoutTheCodecAreStillRead() {
    record Local(int number) {}
    LambdaCodec<Local> numbers =
        new LambdaCodec<>(
            "local",
            Local.class,
            (local, out) -> out.writeInt(local.number()),
            in -> new Local(in.readInt()));
    byte[] before = open.encodeValue(List.of(new Local(4)));
    Codec after = codec("n1", List.of(HERE), all(numbers));
    assertThat(after.decodeValue(before, 0, before.length)).isEqualTo(List.of(new Local(4)));
    assertThat(after.encodeValue(List.of(new Local(4)))).isNotEqualTo(before);
  }

  @Test
  void codecAppliesToItsClassButNotSubclasses() {
    Codec codec = codec("n1", List.of(HERE), all(PLAIN));
    Object back = roundTrip(codec, new Special(9));
    assertThat(back).isExactlyInstanceOf(Special.class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.frozenOnly().encodeValue(new Special(9)))
        .withMessageContainingAll("kept on disk", "Special", "GridConfig.codec");
  }

  @Test
  void codecOfAListIsIgnoredInKeys() {
    LambdaCodec<Ones> lists =
        new LambdaCodec<>(
            "ones",
            Ones.class,
            (ones, out) -> out.writeInt(ones.size()),
            in -> new Ones(in.readInt()));
    Codec codec = codec("n1", List.of(), all(lists));
    assertThat(codec.encodeKey(new Ones(2))).isEqualTo(codec.encodeKey(List.of(1, 1)));
    assertThat(roundTrip(codec.frozenOnly(), new Ones(2)))
        .isExactlyInstanceOf(Ones.class)
        .isEqualTo(List.of(1, 1));
  }

  /** A list that equals every other list of as many ones. */
  static final class Ones extends AbstractList<Integer> {
    private final int size;

    Ones(int size) {
      this.size = size;
    }

    @Override
    public Integer get(int index) {
      return 1;
    }

    @Override
    public int size() {
      return size;
    }
  }

  @Test
  void unknownCodecNameSaysWhereAndWhatToDo() {
    byte[] bytes = strict.encodeValue(new Money(1));
    assertThatThrownBy(() -> codec("n2", List.of(HERE), all()).decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContainingAll(
            "codec \"money\" is not registered on node n2", "with a GridConfig.codec");
    byte[] key = strict.encodeKey(new Money(1));
    assertThatThrownBy(() -> codec("n2", List.of(HERE), all()).decodeKey(key, 0, key.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("\"money\"");
  }

  @Test
  void skippedComponentNeedsNoCodec() {
    Codec without = codec("n2", List.of(HERE), all());
    byte[] bytes =
        renamed(
            open.encodeValue(List.of(new Price("a", new Money(1)), new Price("b", new Money(2)))),
            "Price",
            "Pric2");
    assertThat(without.decodeValue(bytes, 0, bytes.length))
        .isEqualTo(List.of(new Pric2("a"), new Pric2("b")));
    byte[] mixed =
        renamed(
            open.encodeValue(List.of(new Price("a", new Money(1)), new Money(2))),
            "Price",
            "Pric2");
    assertThat(open.decodeValue(mixed, 0, mixed.length))
        .isEqualTo(List.of(new Pric2("a"), new Money(2)));
  }

  @Test
  void readFailureNamesTheCodec() {
    assertThat(misread(in -> new Money(in.readByte())))
        .isEqualTo(
            "codec \"money\" of "
                + Money.class.getTypeName()
                + " on node n1 left 8 of 9 bytes unread");
    assertThat(
            misread(
                in -> {
                  in.readFully(new byte[10]);
                  return new Money(1);
                }))
        .contains("\"money\"", "9 bytes", EOFException.class.getName());
    assertThat(
            misread(
                in -> {
                  throw new IllegalStateException("no such money");
                }))
        .contains("\"money\"", "no such money");
    assertThat(misread(in -> nothing(in.skipBytes(9)))).contains("\"money\"", "has read null");
    assertThat(
            misread(
                in -> {
                  throw new java.time.DateTimeException("inflation");
                }))
        .contains("\"money\"", "inflation");
    assertThat(misread(TypeCodecTest::endless)).contains("\"money\"", "StackOverflowError");
  }

  @Test
  void objectOfAnotherClassIsRefused() {
    LambdaCodec<Plain> wrong =
        new LambdaCodec<>(
            "plain", Plain.class, (plain, out) -> out.writeInt(1), in -> new Special(in.readInt()));
    Codec codec = codec("n1", List.of(), all(wrong));
    byte[] bytes = codec.encodeValue(new Plain(1));
    assertThatThrownBy(() -> codec.decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContainingAll("\"plain\"", "has read a " + Special.class.getTypeName());
  }

  @Test
  void writeFailureNamesTheCodecAndWritesNothing() {
    Codec codec =
        codec(
            "n1",
            List.of(HERE),
            all(
                money(
                    (money, out) -> {
                      out.writeLong(1);
                      throw new IOException("no ink");
                    },
                    in -> new Money(1))));
    Output out = new Output(16);
    out.writeByte(9);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encodeValue(List.of("a", new Price("b", new Money(1))), out))
        .withMessageContainingAll("codec \"money\"", Money.class.getTypeName(), "n1", "no ink")
        .withCauseInstanceOf(IOException.class);
    assertThat(out.position()).isEqualTo(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encodeKey(new Money(1)))
        .withMessageContaining("no ink");
  }

  @Test
  void oversizedValueIsRefusedWhileWriting() {
    byte[] part = new byte[1 << 20];
    LambdaCodec<Money> endless =
        money(
            (money, out) -> {
              while (true) {
                out.write(part);
              }
            },
            in -> new Money(1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec("n1", List.of(), all(endless)).encodeValue(new Money(1)))
        .withMessageContainingAll("codec \"money\"", "16777216");
    LambdaCodec<Money> swallowing =
        money(
            (money, out) -> {
              try {
                endless.write(money, out);
              } catch (IOException e) {
                // Continues as if nothing had happened.
              }
            },
            in -> new Money(1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec("n1", List.of(), all(swallowing)).encodeValue(new Money(1)))
        .withMessageContaining("16777216");
  }

  @Test
  void outputLimitIsNotBlamedOnTheCodec() {
    LambdaCodec<Money> large =
        money((money, out) -> out.write(new byte[5_000]), in -> new Money(in.skipBytes(5_000)));
    Output out = new Output(64);
    out.limit(1_000);
    assertThatThrownBy(() -> codec("n1", List.of(), all(large)).encodeValue(new Money(1), out))
        .isInstanceOf(OutputFullException.class);
  }

  @Test
  void writeAfterTheCallIsIgnored() throws IOException {
    AtomicReference<@Nullable DataOutput> kept = new AtomicReference<>();
    LambdaCodec<Money> keeping =
        money(
            (money, out) -> {
              kept.set(out);
              MONEY.write(money, out);
            },
            MONEY::read);
    Output out = new Output(64);
    codec("n1", List.of(), all(keeping)).encodeValue(new Money(3), out);
    byte[] before = out.toByteArray();
    DataOutput late = kept.get();
    if (late == null) {
      throw new AssertionError("not called");
    }
    late.writeLong(-1);
    assertThat(out.toByteArray()).isEqualTo(before).isEqualTo(strict.encodeValue(new Money(3)));
  }

  @Test
  void functionsMayCaptureCodedObjects() {
    Money limit = new Money(10);
    SerializablePredicate<Money> less = money -> money.cents < limit.cents;
    Output out = new Output(64);
    open.encodeFunction(less, out);
    @SuppressWarnings("unchecked")
    SerializablePredicate<Money> back =
        (SerializablePredicate<Money>)
            open.decodeFunction(new Input(out.toByteArray()), new CaptureSnapshot());
    assertThat(back.test(new Money(9))).isTrue();
    assertThat(back.test(new Money(10))).isFalse();
    Codec failing =
        codec(
            "n1",
            List.of(HERE),
            all(
                money(
                    (money, ignored) -> {
                      throw new UncheckedIOException(new IOException("no ink"));
                    },
                    in -> new Money(1))));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> failing.encodeFunction(less, new Output(64)))
        .withMessageContainingAll("variable \"limit\"", "cannot be sent", "no ink");
  }

  @Test
  void typesWithAFrozenFormTakeNoCodec() {
    for (Object value :
        List.of(
            "text",
            1,
            true,
            'c',
            java.math.BigDecimal.ONE,
            java.time.Instant.EPOCH,
            new java.util.UUID(1, 2),
            new ArrayList<>(),
            List.of(),
            Collections.emptyList())) {
      LambdaCodec<?> codec = codecOf(value.getClass());
      assertThatIllegalArgumentException()
          .isThrownBy(() -> codec("n1", List.of(), all(codec)))
          .withMessageContainingAll("GridConfig.codec \"x\"", value.getClass().getTypeName());
    }
  }

  @Test
  void listOfFrozenClassesIsComplete() {
    for (Object value : FrozenFormatTest.tagged()) {
      assertThatIllegalArgumentException()
          .as("%s", value.getClass())
          .isThrownBy(() -> codec("n1", List.of(), all(codecOf(value.getClass()))));
    }
  }

  private static <T> LambdaCodec<T> codecOf(Class<T> type) {
    return new LambdaCodec<>("x", type, (value, out) -> {}, in -> nothing(0));
  }

  private static String misread(LambdaCodec.ReadFunction<Money> reading) {
    byte[] bytes =
        codec("n1", List.of(), all(MONEY)).encodeValue(List.of(new Money(1), new Money(2)));
    Codec codec = codec("n1", List.of(), all(money(MONEY.writing(), reading)));
    try {
      codec.decodeValue(bytes, 0, bytes.length);
    } catch (MalformedException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("not refused");
  }

  @SuppressWarnings("InfiniteRecursion")
  private static Money endless(java.io.DataInput in) throws IOException {
    return endless(in);
  }

  /** Returns null, which the signature excludes but a program may do anyway. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing(int ignored) {
    return null;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static byte[] renamed(byte[] bytes, String from, String to) {
    return text(bytes).replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static Object roundTrip(Codec codec, Object value) {
    byte[] bytes = codec.encodeValue(value);
    byte[] around = new byte[bytes.length + 7];
    System.arraycopy(bytes, 0, around, 4, bytes.length);
    return codec.decodeValue(around, 4, bytes.length);
  }
}
