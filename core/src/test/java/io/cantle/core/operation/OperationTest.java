package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operation.Operation.ApplyFunction;
import io.cantle.core.operation.Operation.CompareAndSet;
import io.cantle.core.operation.Operation.CompareVersionAndSet;
import io.cantle.core.operation.Operation.ExpiringWrite;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.PutIfAbsent;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.operation.Operation.Replace;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the effect of each operation, and its encoding. */
final class OperationTest {
  private final ByteSlice key = new ByteSlice(bytes("..key."), 2, 3);
  private final ByteSlice value = new ByteSlice(bytes("<new>"), 1, 3);
  private final Entry entry = Entry.of(1, bytes("keyold"), 3, 4, 9, false, 0, null);

  @Test
  void putWritesAndReturnsThePreviousValue() {
    assertWrites(new Put(value, false).decide(key, entry), "keynew", "old", true);
    assertWrites(new Put(value, false).decide(key, null), "keynew", "-", true);
    assertWrites(new Put(value, true).decide(key, entry), "keynew", "-", false);
  }

  @Test
  void putIfAbsentWritesOnlyIfAbsent() {
    assertWrites(new PutIfAbsent(value).decide(key, null), "keynew", "-", false);
    assertWritesNothing(new PutIfAbsent(value).decide(key, entry), "old");
  }

  @Test
  void removeOfAnAbsentKeyChangesNothing() {
    assertRemoves(new RemoveEntry(false).decide(key, entry), "old", true);
    assertRemoves(new RemoveEntry(true).decide(key, entry), "-", false);
    assertWritesNothing(new RemoveEntry(false).decide(key, null), "-");
    assertWritesNothing(new RemoveEntry(true).decide(key, null), "-");
  }

  @Test
  void replaceWritesOnlyIfPresent() {
    assertWrites(new Replace(value).decide(key, entry), "keynew", "old", true);
    assertWritesNothing(new Replace(value).decide(key, null), "-");
  }

  @Test
  void compareVersionAndSetWritesOnlyOverTheReadVersion() {
    assertWrites(
        new CompareVersionAndSet(new Version(4, 9), value).decide(key, entry),
        "keynew",
        "true",
        false);
    assertWritesNothing(
        new CompareVersionAndSet(new Version(4, 8), value).decide(key, entry), "false");
    assertWritesNothing(
        new CompareVersionAndSet(new Version(4, 10), value).decide(key, entry), "false");
    assertWritesNothing(
        new CompareVersionAndSet(new Version(3, 9), value).decide(key, entry), "false");
    assertWritesNothing(new CompareVersionAndSet(Version.NONE, value).decide(key, entry), "false");
    assertWritesNothing(
        new CompareVersionAndSet(new Version(4, 9), value).decide(key, null), "false");
    assertWrites(
        new CompareVersionAndSet(Version.NONE, value).decide(key, null), "keynew", "true", false);
  }

  @Test
  void compareVersionAndSetToNullRemoves() {
    assertRemoves(
        new CompareVersionAndSet(new Version(4, 9), null).decide(key, entry), "true", false);
    assertWritesNothing(
        new CompareVersionAndSet(new Version(4, 8), null).decide(key, entry), "false");
    assertWritesNothing(new CompareVersionAndSet(Version.NONE, null).decide(key, null), "true");
  }

  @Test
  void functionIsUsedOnlyWhenNeeded() {
    assertThat(apply(ApplyFunction.FunctionKind.COMPUTE).decide(key, null)).isNull();
    assertThat(apply(ApplyFunction.FunctionKind.COMPUTE).decide(key, entry)).isNull();
    assertThat(apply(ApplyFunction.FunctionKind.COMPUTE_IF_ABSENT).decide(key, null)).isNull();
    assertWritesNothing(
        apply(ApplyFunction.FunctionKind.COMPUTE_IF_ABSENT).decide(key, entry), "old");
    assertThat(apply(ApplyFunction.FunctionKind.COMPUTE_IF_PRESENT).decide(key, entry)).isNull();
    assertWritesNothing(
        apply(ApplyFunction.FunctionKind.COMPUTE_IF_PRESENT).decide(key, null), "-");
    assertThat(apply(ApplyFunction.FunctionKind.REPLACE_ALL).decide(key, entry)).isNull();
    assertWritesNothing(apply(ApplyFunction.FunctionKind.REPLACE_ALL).decide(key, null), "-");
    assertThat(apply(ApplyFunction.FunctionKind.MERGE).decide(key, entry)).isNull();
    assertWrites(apply(ApplyFunction.FunctionKind.MERGE).decide(key, null), "keynew", "new", false);
  }

  private ApplyFunction apply(ApplyFunction.FunctionKind kind) {
    return new ApplyFunction(kind, ByteSlice.of(bytes("function")), value, FunctionChain.NONE);
  }

  @Test
  void equalBytesAreEqualValues() {
    ByteSlice old = new ByteSlice(bytes("<old>"), 1, 3);
    assertWrites(new CompareAndSet(old, value).decide(key, entry), "keynew", "true", false);
    assertRemoves(new CompareAndSet(old, null).decide(key, entry), "true", false);
    assertThat(new CompareAndSet(value, old).decide(key, entry))
        .as("equals has to be called")
        .isNull();
    assertWritesNothing(new CompareAndSet(old, value).decide(key, null), "false");
    assertWritesNothing(new CompareAndSet(value, old).decideByEquality(key, false), "false");
  }

  @Test
  void emptyValueIsAValue() {
    Entry empty = Entry.of(1, bytes("key"), 3, 1, 1, false, 0, null);
    ByteSlice nothing = ByteSlice.of(new byte[0]);
    assertWritesNothing(new PutIfAbsent(value).decide(key, empty), "");
    assertWrites(new Put(nothing, false).decide(key, empty), "key", "", true);
  }

  @Test
  void operationsRoundTrip() {
    List<Operation> operations =
        List.of(
            new Put(value, false),
            new Put(value, true),
            new PutIfAbsent(value),
            new RemoveEntry(false),
            new RemoveEntry(true),
            new Replace(value),
            new CompareVersionAndSet(new Version(Integer.MAX_VALUE, Long.MAX_VALUE), value),
            new CompareVersionAndSet(Version.NONE, ByteSlice.of(new byte[0])),
            new CompareVersionAndSet(new Version(1, 2), null),
            new ApplyFunction(
                ApplyFunction.FunctionKind.COMPUTE,
                value,
                ByteSlice.of(new byte[0]),
                FunctionChain.NONE),
            new ApplyFunction(
                ApplyFunction.FunctionKind.REPLACE_ALL, value, value, FunctionChain.NONE),
            new CompareAndSet(value, key),
            new CompareAndSet(value, null),
            new ConflictMerge(
                new UUID(1, 2),
                7,
                PartitionHandling.REMOVE,
                true,
                new DivergencePoint(2, new Version(3, 1L << 40), 1L << 61),
                1L << 60,
                value),
            new ConflictMerge(
                new UUID(1, 2),
                1,
                PartitionHandling.CUSTOM,
                false,
                new DivergencePoint(3, new Version(3, 4), 0),
                5,
                null),
            new DivergenceProbe(new UUID(1, 2), 7, new UUID(3, 4)),
            new ExpiringWrite(new Put(value, false), new Lifetime(300, 0)),
            new ExpiringWrite(
                new CompareVersionAndSet(new Version(1, 2), value),
                new Lifetime(0, Lifetime.MAX_MILLIS)));
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
  void lifetimeAppliesOnlyToWrittenValues() {
    Lifetime lifetime = new Lifetime(300, 7);
    Operation put = ExpiringWrite.of(new Put(value, false), lifetime);
    assertThat(Objects.requireNonNull(put.decide(key, entry)).lifetime()).isEqualTo(lifetime);
    assertThat(put.unwrap()).isEqualTo(new Put(value, false));
    RemoveEntry remove = new RemoveEntry(false);
    assertThat(ExpiringWrite.of(remove, lifetime)).isSameAs(remove);
    assertThat(ExpiringWrite.of(remove, Lifetime.UNLIMITED)).isSameAs(remove);
    assertThat(
            ExpiringWrite.of(apply(ApplyFunction.FunctionKind.COMPUTE), lifetime)
                .decide(key, entry))
        .isNull();
  }

  @Test
  void answerOfAProbeSaysHowFarAReplicaHadComeOrThatItHoldsNothing() {
    for (DivergencePoint point :
        Arrays.asList(null, new DivergencePoint(9, new Version(8, 1L << 40), 1L << 60))) {
      OperationResult result = DivergenceProbe.toResult(point);
      assertThat(result.hasValue()).as("served").isTrue();
      assertThat(DivergenceProbe.reachedIn(result)).isEqualTo(point);
    }
  }

  @Test
  void anUnknownOperationIsMalformed() {
    assertMalformed(() -> Operation.read(new Input(new byte[] {0, 0})));
    assertMalformed(() -> Operation.read(new Input(new byte[] {16, 0})));
  }

  @Test
  void readResultHasTheVersionOfItsEntry() {
    assertThat(ReadResult.of(null, true)).isSameAs(ReadResult.NOT_FOUND);
    assertThat(ReadResult.of(Entry.of(1, bytes("key"), 3, 4, 9, true, 0, null), true))
        .isSameAs(ReadResult.NOT_FOUND);
    assertThat(ReadResult.of(entry, true).epoch()).isEqualTo(4);
    assertThat(ReadResult.of(entry, true).index()).isEqualTo(9);
    assertThat(text(ReadResult.of(entry, true).value())).isEqualTo("old");
  }

  private static void assertWrites(
      @Nullable CommandEffect decided, String bytes, String result, boolean resultIsPrevious) {
    CommandEffect effect = Objects.requireNonNull(decided);
    assertThat(effect.isRemoval()).isFalse();
    assertThat(text(effect.bytes())).isEqualTo(bytes);
    assertThat(text(effect.result())).isEqualTo(result);
    assertThat(effect.isResultPrevious()).isEqualTo(resultIsPrevious);
  }

  private static void assertRemoves(
      @Nullable CommandEffect decided, String result, boolean resultIsPrevious) {
    CommandEffect effect = Objects.requireNonNull(decided);
    assertThat(effect.isRemoval()).isTrue();
    assertThat(text(effect.bytes())).isEqualTo("key");
    assertThat(text(effect.result())).isEqualTo(result);
    assertThat(effect.isResultPrevious()).isEqualTo(resultIsPrevious);
  }

  private static void assertWritesNothing(@Nullable CommandEffect decided, String result) {
    CommandEffect effect = Objects.requireNonNull(decided);
    assertThat(effect.bytes()).isNull();
    assertThat(effect.isRemoval()).isFalse();
    assertThat(text(effect.result())).isEqualTo(result);
  }

  private static String text(Operation operation) {
    return switch (operation) {
      case Put(ByteSlice value, boolean quiet) -> text(value.toByteArray()) + quiet;
      case PutIfAbsent(ByteSlice value) -> text(value.toByteArray());
      case RemoveEntry(boolean quiet) -> String.valueOf(quiet);
      case Replace(ByteSlice value) -> text(value.toByteArray());
      case CompareVersionAndSet(Version expected, ByteSlice value) ->
          expected + (value == null ? "" : text(value.toByteArray()));
      case ApplyFunction apply ->
          apply.kind()
              + text(apply.function().toByteArray())
              + text(apply.argument().toByteArray())
              + apply.callers();
      case CompareAndSet(ByteSlice expected, ByteSlice value) ->
          text(expected.toByteArray()) + (value == null ? "" : text(value.toByteArray()));
      case ConflictMerge(
              var grid,
              var born,
              var mode,
              var old,
              var divergence,
              var stamp,
              var value) ->
          grid
              + "/"
              + born
              + "/"
              + mode
              + old
              + divergence
              + "/"
              + stamp
              + (value == null ? "" : text(value.toByteArray()));
      case DivergenceProbe probe -> probe.toString();
      case ExpiringWrite(Operation bare, Lifetime lifetime) -> text(bare) + lifetime;
    };
  }

  private static String text(OperationResult result) {
    if (result.hasValue()) {
      return new String(result.bytes(), result.offset(), result.length(), StandardCharsets.UTF_8);
    }
    return result.equals(OperationResult.ABSENT) ? "-" : String.valueOf(result.isTrue());
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
