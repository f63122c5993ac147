package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Parting;
import io.cantle.core.replica.Result;
import io.cantle.core.topology.Mode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What each operation makes of what it finds, and how it travels. */
final class OperationTest {
  private final Slice key = new Slice(bytes("..key."), 2, 3);
  private final Slice value = new Slice(bytes("<new>"), 1, 3);
  private final Entry entry = new Entry(1, bytes("keyold"), 3, 4, 9, false);

  @Test
  void putWritesAndAnswersWhatWasThere() {
    assertWrites(new Put(value, false).decide(key, entry), "keynew", "old", true);
    assertWrites(new Put(value, false).decide(key, null), "keynew", "-", true);
    assertWrites(new Put(value, true).decide(key, entry), "keynew", "-", false);
  }

  @Test
  void putIfAbsentWritesOnlyWhereNothingWas() {
    assertWrites(new PutIfAbsent(value).decide(key, null), "keynew", "-", false);
    assertWritesNothing(new PutIfAbsent(value).decide(key, entry), "old");
  }

  @Test
  void removeRemovesOnlyWhatWasThere() {
    assertRemoves(new Remove(false).decide(key, entry), "old", true);
    assertRemoves(new Remove(true).decide(key, entry), "-", false);
    assertWritesNothing(new Remove(false).decide(key, null), "-");
    assertWritesNothing(new Remove(true).decide(key, null), "-");
  }

  @Test
  void replaceWritesOnlyWhereSomethingWas() {
    assertWrites(new Replace(value).decide(key, entry), "keynew", "old", true);
    assertWritesNothing(new Replace(value).decide(key, null), "-");
  }

  @Test
  void swapWritesOnlyOverTheVersionThatWasRead() {
    assertWrites(new Swap(4, 9, value).decide(key, entry), "keynew", "true", false);
    assertWritesNothing(new Swap(4, 8, value).decide(key, entry), "false");
    assertWritesNothing(new Swap(4, 10, value).decide(key, entry), "false");
    assertWritesNothing(new Swap(3, 9, value).decide(key, entry), "false");
    assertWritesNothing(new Swap(0, 0, value).decide(key, entry), "false");
    assertWritesNothing(new Swap(4, 9, value).decide(key, null), "false");
    assertWrites(new Swap(0, 0, value).decide(key, null), "keynew", "true", false);
  }

  @Test
  void swapToNothingRemoves() {
    assertRemoves(new Swap(4, 9, null).decide(key, entry), "true", false);
    assertWritesNothing(new Swap(4, 8, null).decide(key, entry), "false");
    assertWritesNothing(new Swap(0, 0, null).decide(key, null), "true");
  }

  @Test
  void aFunctionDecidesOnlyWhereItIsNeeded() {
    assertThat(apply(Apply.Kind.COMPUTE).decide(key, null)).isNull();
    assertThat(apply(Apply.Kind.COMPUTE).decide(key, entry)).isNull();
    assertThat(apply(Apply.Kind.COMPUTE_IF_ABSENT).decide(key, null)).isNull();
    assertWritesNothing(apply(Apply.Kind.COMPUTE_IF_ABSENT).decide(key, entry), "old");
    assertThat(apply(Apply.Kind.COMPUTE_IF_PRESENT).decide(key, entry)).isNull();
    assertWritesNothing(apply(Apply.Kind.COMPUTE_IF_PRESENT).decide(key, null), "-");
    assertThat(apply(Apply.Kind.REPLACE_ALL).decide(key, entry)).isNull();
    assertWritesNothing(apply(Apply.Kind.REPLACE_ALL).decide(key, null), "-");
    assertThat(apply(Apply.Kind.MERGE).decide(key, entry)).isNull();
    assertWrites(apply(Apply.Kind.MERGE).decide(key, null), "keynew", "new", false);
  }

  private Apply apply(Apply.Kind kind) {
    return new Apply(kind, Slice.of(bytes("function")), value);
  }

  @Test
  void whatHasTheSameBytesIsTheSame() {
    Slice old = new Slice(bytes("<old>"), 1, 3);
    assertWrites(new Compare(old, value).decide(key, entry), "keynew", "true", false);
    assertRemoves(new Compare(old, null).decide(key, entry), "true", false);
    assertThat(new Compare(value, old).decide(key, entry)).as("equals is to be asked").isNull();
    assertWritesNothing(new Compare(old, value).decide(key, null), "false");
    assertWritesNothing(new Compare(value, old).decided(key, false), "false");
  }

  @Test
  void anEmptyValueIsAValue() {
    Entry empty = new Entry(1, bytes("key"), 3, 1, 1, false);
    Slice nothing = Slice.of(new byte[0]);
    assertWritesNothing(new PutIfAbsent(value).decide(key, empty), "");
    assertWrites(new Put(nothing, false).decide(key, empty), "key", "", true);
  }

  @Test
  void operationsComeBack() {
    List<Operation> operations =
        List.of(
            new Put(value, false),
            new Put(value, true),
            new PutIfAbsent(value),
            new Remove(false),
            new Remove(true),
            new Replace(value),
            new Swap(Integer.MAX_VALUE, Long.MAX_VALUE, value),
            new Swap(0, 0, Slice.of(new byte[0])),
            new Swap(1, 2, null),
            new Apply(Apply.Kind.COMPUTE, value, Slice.of(new byte[0])),
            new Apply(Apply.Kind.REPLACE_ALL, value, value),
            new Compare(value, key),
            new Compare(value, null),
            new Merge(
                new UUID(1, 2),
                7,
                Mode.REMOVE,
                true,
                new Parting(2, 3, 1L << 40, 1L << 61),
                1L << 60,
                value),
            new Merge(new UUID(1, 2), 1, Mode.CUSTOM, false, new Parting(3, 3, 4, 0), 5, null),
            new Limited(new Put(value, false), new Lifetime(300, 0)),
            new Limited(new Swap(1, 2, value), new Lifetime(0, Lifetime.MAX_MILLIS)));
    for (Operation operation : operations) {
      Output out = new Output(4);
      operation.write(out);
      Input in = out.toInput();
      Operation read = Operation.read(in);
      assertThat(in.remaining()).isZero();
      assertThat(read).hasSameClassAs(operation);
      assertThat(text(read)).isEqualTo(text(operation));
      for (int length = 0; length < out.position(); length++) {
        Input shorter = new Input(out.array(), 0, length);
        assertMalformed(() -> Operation.read(shorter));
      }
    }
  }

  @Test
  void onlyWhatWritesAValueIsLimitedAndThenItsEffectIs() {
    Lifetime lifetime = new Lifetime(300, 7);
    Operation put = Limited.of(new Put(value, false), lifetime);
    assertThat(Objects.requireNonNull(put.decide(key, entry)).lifetime()).isEqualTo(lifetime);
    assertThat(put.bare()).isEqualTo(new Put(value, false));
    Remove remove = new Remove(false);
    assertThat(Limited.of(remove, lifetime)).isSameAs(remove);
    assertThat(Limited.of(remove, Lifetime.UNLIMITED)).isSameAs(remove);
    assertThat(Limited.of(apply(Apply.Kind.COMPUTE), lifetime).decide(key, entry)).isNull();
  }

  @Test
  void anUnknownOperationIsMalformed() {
    assertMalformed(() -> Operation.read(new Input(new byte[] {0, 0})));
    assertMalformed(() -> Operation.read(new Input(new byte[] {15, 0})));
  }

  @Test
  void whatIsFoundHasItsVersionUnlessThereIsNothing() {
    assertThat(Found.of(null, true)).isSameAs(Found.NOTHING);
    assertThat(Found.of(new Entry(1, bytes("key"), 3, 4, 9, true), true)).isSameAs(Found.NOTHING);
    assertThat(Found.of(entry, true).epoch()).isEqualTo(4);
    assertThat(Found.of(entry, true).index()).isEqualTo(9);
    assertThat(text(Found.of(entry, true).value())).isEqualTo("old");
  }

  private static void assertWrites(
      @Nullable Effect decided, String bytes, String result, boolean resultIsPrevious) {
    Effect effect = Objects.requireNonNull(decided);
    assertThat(effect.removes()).isFalse();
    assertThat(text(effect.bytes())).isEqualTo(bytes);
    assertThat(text(effect.result())).isEqualTo(result);
    assertThat(effect.resultIsPrevious()).isEqualTo(resultIsPrevious);
  }

  private static void assertRemoves(
      @Nullable Effect decided, String result, boolean resultIsPrevious) {
    Effect effect = Objects.requireNonNull(decided);
    assertThat(effect.removes()).isTrue();
    assertThat(text(effect.bytes())).isEqualTo("key");
    assertThat(text(effect.result())).isEqualTo(result);
    assertThat(effect.resultIsPrevious()).isEqualTo(resultIsPrevious);
  }

  private static void assertWritesNothing(@Nullable Effect decided, String result) {
    Effect effect = Objects.requireNonNull(decided);
    assertThat(effect.bytes()).isNull();
    assertThat(effect.removes()).isFalse();
    assertThat(text(effect.result())).isEqualTo(result);
  }

  private static String text(Operation operation) {
    return switch (operation) {
      case Put(Slice value, boolean quiet) -> text(value.toByteArray()) + quiet;
      case PutIfAbsent(Slice value) -> text(value.toByteArray());
      case Remove(boolean quiet) -> String.valueOf(quiet);
      case Replace(Slice value) -> text(value.toByteArray());
      case Swap(int epoch, long index, Slice value) ->
          epoch + "/" + index + (value == null ? "" : text(value.toByteArray()));
      case Apply(Apply.Kind kind, Slice function, Slice argument) ->
          kind + text(function.toByteArray()) + text(argument.toByteArray());
      case Compare(Slice expected, Slice value) ->
          text(expected.toByteArray()) + (value == null ? "" : text(value.toByteArray()));
      case Merge(var grid, var born, var mode, var old, var parting, var stamp, var value) ->
          grid
              + "/"
              + born
              + "/"
              + mode
              + old
              + parting
              + "/"
              + stamp
              + (value == null ? "" : text(value.toByteArray()));
      case Limited(Operation bare, Lifetime lifetime) -> text(bare) + lifetime;
    };
  }

  private static String text(Result result) {
    if (result.hasValue()) {
      return new String(result.bytes(), result.offset(), result.length(), StandardCharsets.UTF_8);
    }
    return result == Result.ABSENT ? "-" : String.valueOf(result.isTrue());
  }

  private static String text(byte @Nullable [] bytes) {
    return bytes == null ? "nothing" : new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void assertMalformed(org.assertj.core.api.ThrowableAssert.ThrowingCallable read) {
    assertThatExceptionOfType(MalformedException.class).isThrownBy(read);
  }
}
