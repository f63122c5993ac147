package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.GridConfig;
import io.cantle.NamedFunctions;
import io.cantle.TypeCodecs;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializablePredicate;
import io.cantle.function.SerializableSupplier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Functions sent by name, between nodes whose code differs. */
@SuppressWarnings("UnnecessaryLambda") // A lambda in a constant is what is registered.
class NamedFunctionRegistryTest {
  private static final SerializablePredicate<Integer> BUSY_1 = number -> number > 10;
  private static final SerializablePredicate<Integer> BUSY_2 = number -> number > 100;

  /** Its class is allowed nowhere, which a named function does not need. */
  private final Codec first = codec("n1", NamedFunctions.NONE.with("busy", BUSY_1));

  private final Codec second = codec("n2", NamedFunctions.NONE.with("busy", BUSY_2));

  @Test
  void receiverRunsItsOwnRegisteredFunction() {
    Object received = sent(first, BUSY_1, second);
    assertThat(received).isSameAs(BUSY_2);
    assertThat(sent(second, BUSY_2, first)).isSameAs(BUSY_1);
    Output out = new Output(16);
    first.encodeFunction(BUSY_1, out);
    assertThat(out.position()).isLessThan(60);
  }

  @Test
  void onlyTheRegisteredObjectTravelsByName() {
    SerializablePredicate<Integer> twin = number -> number > 10;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> first.encodeFunction(twin, new Output(16)))
        .withMessageContaining("not allowed");
  }

  @Test
  void unknownNameSaysWhereAndWhatToDo() {
    Codec third = codec("n3", NamedFunctions.NONE.with("other", BUSY_1));
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> sent(first, BUSY_1, third))
        .withMessageContainingAll(
            "\"busy\" is not registered on node n3", "GridConfig.function(\"busy\"");
  }

  @Test
  void functionOfAnotherTypeIsRefused() {
    SerializableFunction<Integer, Boolean> function = number -> number > 10;
    Codec third = codec("n3", NamedFunctions.NONE.with("busy", function));
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> sent(first, BUSY_1, third))
        .withMessageContainingAll(
            "\"busy\" on node n3 is not a java.util.function.Predicate",
            "but a java.util.function.Function",
            "register");
  }

  /** A function of two types, neither of which is serializable. */
  private static final class Both implements Predicate<Integer>, Function<Integer, Boolean> {
    @Override
    public boolean test(Integer number) {
      return false;
    }

    @Override
    public Boolean apply(Integer number) {
      return false;
    }
  }

  @Test
  void objectWithAdditionalTypesIsAccepted() {
    Both both = new Both();
    Codec third = codec("n3", NamedFunctions.NONE.with("busy", both));
    assertThat(sent(first, BUSY_1, third)).isSameAs(both);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> sent(third, both, first))
        .withMessageContaining("is not a java.util.function.Function");
  }

  @Test
  void capturedFunctionTravelsByNameToo() {
    Codec sender = open("n1", NamedFunctions.NONE.with("busy", BUSY_1));
    Codec receiver = open("n2", NamedFunctions.NONE.with("busy", BUSY_2));
    SerializablePredicate<Integer> captured = BUSY_1;
    SerializablePredicate<Integer> calm = number -> !captured.test(number);
    @SuppressWarnings("unchecked")
    SerializablePredicate<Integer> received =
        (SerializablePredicate<Integer>) sent(sender, calm, receiver);
    assertThat(calm.test(50)).isFalse();
    assertThat(received.test(50)).isTrue();
    List<SerializablePredicate<Integer>> list = new ArrayList<>(Arrays.asList(BUSY_1));
    SerializableSupplier<Object> withinAList = () -> list.getFirst();
    assertThat(((SerializableSupplier<?>) sent(sender, withinAList, receiver)).get())
        .isSameAs(BUSY_2);
    byte[] value = sender.encodeValue(new HashMap<>(Map.of("a", BUSY_1)));
    assertThat(receiver.decodeValue(value, 0, value.length)).isEqualTo(Map.of("a", BUSY_2));
    byte[] noneAllowed = first.encodeValue(new HashMap<>(Map.of("a", BUSY_1)));
    assertThat(second.decodeValue(noneAllowed, 0, noneAllowed.length))
        .isEqualTo(Map.of("a", BUSY_2));
    Codec unaware = open("n3", NamedFunctions.NONE);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> sent(sender, calm, unaware))
        .withMessageContaining("is not registered on node n3");
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> unaware.decodeValue(value, 0, value.length))
        .withMessageContaining("is not registered on node n3");
  }

  @Test
  void registrationIsValidated() {
    GridConfig config = GridConfig.named("shop").function("busy", BUSY_1);
    assertThat(config.serialization().functions().byName()).containsEntry("busy", BUSY_1);
    assertThat(GridConfig.named("shop").serialization().functions()).isEqualTo(NamedFunctions.NONE);
    assertThat(config.nodeName("x").allowing("com.acme").serialization().functions())
        .isSameAs(config.serialization().functions());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config.function("busy", BUSY_2))
        .withMessageContaining("\"busy\" is registered already");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config.function("calm", BUSY_1))
        .withMessageContainingAll("\"busy\"", "\"calm\"", "same object");
    for (String name : List.of("", " ", "-a", "a b", "a/b", "\u00e4", "a".repeat(101))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> config.function(name, BUSY_2))
          .withMessageContaining("\"" + name + "\" is not a valid name");
    }
    assertThat(config.function("a".repeat(100), BUSY_2).serialization().functions().byName())
        .hasSize(2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec("n1", NamedFunctions.NONE.with("busy", "text")))
        .withMessageContainingAll(
            "\"busy\" is of type java.lang.String", "not a java.util.function");
  }

  private static Object sent(Codec from, Object function, Codec to) {
    Output out = new Output(16);
    from.encodeFunction(function, out);
    return to.decodeFunction(out.toInput(), new CaptureSnapshot());
  }

  private static Codec codec(String nodeName, NamedFunctions functions) {
    return new Codec(
        ClassAllowList.of(List.of()),
        NamedFunctionRegistryTest.class.getClassLoader(),
        functions,
        TypeCodecs.NONE,
        nodeName);
  }

  private static Codec open(String nodeName, NamedFunctions functions) {
    return new Codec(
        ClassAllowList.of(List.of("io.cantle.core.codec")),
        NamedFunctionRegistryTest.class.getClassLoader(),
        functions,
        TypeCodecs.NONE,
        nodeName);
  }
}
