package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.io.Serializable;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FunctionTest {
  private static final Codec CODEC =
      new Codec(
          ClassAllowList.of(List.of("io.cantle.core.codec")), FunctionTest.class.getClassLoader());

  interface Mapping<A extends @Nullable Object, B> extends Function<A, B>, Serializable {}

  interface Combining<A, B, C> extends BiFunction<A, B, C>, Serializable {}

  interface Filter<A> extends Predicate<A>, Serializable {}

  interface Making<A> extends Supplier<A>, Serializable {}

  record Person(String name, int age) {
    static Person named(String name) {
      return new Person(name, 0);
    }
  }

  record Adding(int amount) implements Mapping<Integer, Integer> {
    @Override
    public Integer apply(Integer number) {
      return number + amount;
    }
  }

  enum Doubling implements Mapping<Integer, Integer> {
    ONCE {
      @Override
      public Integer apply(Integer number) {
        return number * 2;
      }
    }
  }

  private static final class Outer {
    private final String prefix;

    Outer(String prefix) {
      this.prefix = prefix;
    }

    // Captures this.
    @SuppressWarnings("UnnecessaryLambda")
    Mapping<String, String> prefixing() {
      return text -> prefix + text;
    }

    String join(String text) {
      return prefix + text;
    }
  }

  @Test
  void lambdasWithoutCapturesRoundTrip() {
    Mapping<Integer, Integer> function = number -> number + 1;
    assertThat(roundTrip(function).apply(1)).isEqualTo(2);
  }

  @Test
  void lambdaWithoutCapturesIsCreatedOnce() {
    Mapping<Integer, Integer> function = number -> number + 1;
    assertThat(roundTrip(function)).isSameAs(roundTrip(function));
    assertThat(roundTrip(adding(1)).apply(1)).isEqualTo(2);
    assertThat(roundTrip(adding(2)).apply(1)).isEqualTo(3);
    assertThat(roundTrip(adding(2))).isNotSameAs(roundTrip(adding(2)));
  }

  @Test
  void capturedValuesRoundTrip() {
    boolean flag = true;
    byte small = 1;
    char letter = 'c';
    long big = 1L << 40;
    double real = 0.5;
    int[] array = {4, 5};
    Person person = new Person("Ada", 36);
    Map<String, Integer> map = new TreeMap<>(Map.of("a", 1));
    String nothing = null;
    Making<String> function =
        () -> "" + flag + small + letter + big + real + array[1] + person.name() + map + nothing;
    assertThat(roundTrip(function).get()).isEqualTo("true1c10995116277760.55Ada{a=1}null");
  }

  @Test
  void methodAndConstructorReferencesRoundTrip() {
    assertThat(roundTrip((Mapping<Person, String>) Person::name).apply(new Person("Ada", 1)))
        .isEqualTo("Ada");
    assertThat(roundTrip((Mapping<String, Person>) Person::named).apply("Ada"))
        .isEqualTo(new Person("Ada", 0));
    assertThat(roundTrip((Combining<String, Integer, Person>) Person::new).apply("Ada", 1))
        .isEqualTo(new Person("Ada", 1));
    assertThat(roundTrip((Mapping<String, Integer>) String::length).apply("abc")).isEqualTo(3);
    assertThat(roundTrip((Mapping<String, String>) "x"::concat).apply("y")).isEqualTo("xy");
    assertThat(roundTrip((Making<List<String>>) ArrayList::new).get()).isEmpty();
    assertThat(roundTrip((Mapping<Integer, String[]>) String[]::new).apply(3)).hasSize(3);
    assertThat(roundTrip((Mapping<Duration, Long>) Duration::toHours).apply(Duration.ofDays(1)))
        .isEqualTo(24);
    assertThat(roundTrip((Mapping<LocalDate, Integer>) LocalDate::getYear).apply(LocalDate.EPOCH))
        .isEqualTo(1970);
    assertThat(roundTrip((Filter<Object>) Person.class::isInstance).test(new Person("a", 1)))
        .isTrue();
    assertThat(roundTrip((Filter<Object>) int.class::isInstance).test(1)).isFalse();
    Outer outer = new Outer("<");
    assertThat(roundTrip((Mapping<String, String>) outer::join).apply("x")).isEqualTo("<x");
    assertThat(roundTrip(outer.prefixing()).apply("x")).isEqualTo("<x");
  }

  @Test
  void nestedFunctionsRoundTrip() {
    Mapping<Integer, Integer> inner = number -> number * 3;
    Mapping<Integer, Integer> outer = number -> inner.apply(number) + 1;
    Mapping<Integer, Integer> outermost = number -> outer.apply(number) + inner.apply(1);
    assertThat(roundTrip(outermost).apply(2)).isEqualTo(10);
    List<Mapping<Integer, Integer>> both = new ArrayList<>(List.of(inner, outer));
    Mapping<Integer, Integer> throughAList = number -> both.get(1).apply(number);
    assertThat(roundTrip(throughAList).apply(1)).isEqualTo(4);
  }

  @Test
  void collectorSupplierRoundTrips() {
    Making<Collector<Person, ?, Map<Integer, Long>>> function =
        () -> Collectors.groupingBy(Person::age, Collectors.counting());
    assertThat(
            Stream.of(new Person("a", 1), new Person("b", 1), new Person("c", 2))
                .collect(roundTrip(function).get()))
        .isEqualTo(Map.of(1, 2L, 2, 1L));
  }

  @Test
  void jdkComparatorsRoundTrip() {
    Mapping<Person, String> byName = Person::name;
    Person ada = new Person("Ada", 36);
    Person bob = new Person("Bob", 7);
    Comparator<Person> comparing = Comparator.comparing(byName);
    Comparator<Person> byAge =
        Comparator.comparingInt(
            (java.util.function.ToIntFunction<Person> & Serializable) Person::age);
    for (Comparator<Person> smaller :
        List.of(
            comparing,
            byAge.reversed(),
            comparing.thenComparing(byAge),
            Comparator.nullsFirst(comparing),
            Comparator.comparing(byName, Comparator.naturalOrder()))) {
      assertThat(roundTrip(smaller).compare(ada, bob)).isNegative();
      assertThat(roundTrip(smaller.reversed()).compare(ada, bob)).isPositive();
    }
    assertThat(roundTrip(Comparator.<String>naturalOrder()).compare("a", "b")).isNegative();
    assertThat(roundTrip(Collections.<String>reverseOrder()).compare("a", "b")).isPositive();
    assertThat(roundTrip(String.CASE_INSENSITIVE_ORDER).compare("A", "a")).isZero();
    Map.Entry<String, Integer> one = Map.entry("a", 2);
    Map.Entry<String, Integer> two = Map.entry("b", 1);
    assertThat(roundTrip(Map.Entry.<String, Integer>comparingByKey()).compare(one, two))
        .isNegative();
    assertThat(
            roundTrip(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .compare(one, two))
        .isNegative();
    assertThat(
            roundTrip(Map.Entry.<String, Integer>comparingByValue().reversed()).compare(one, two))
        .isNegative();
  }

  @Test
  void functionObjectsRoundTrip() {
    assertThat(roundTrip(new Adding(5)).apply(1)).isEqualTo(6);
    assertThat(roundTrip(Doubling.ONCE)).isSameAs(Doubling.ONCE);
  }

  @Test
  void readConsumesExactlyWhatWasWritten() {
    Output out = new Output(16);
    CODEC.encodeFunction((Mapping<String, Integer>) String::length, out);
    CODEC.encodeFunction(new Adding(1), out);
    out.writeByte(42);
    Input in = out.toInput();
    CODEC.decodeFunction(in, new CaptureSnapshot());
    CODEC.decodeFunction(in, new CaptureSnapshot());
    assertThat(in.remaining()).isEqualTo(1);
    assertThat(in.readByte()).isEqualTo(42);
  }

  @Test
  void aFunctionThatIsNotSerializableIsRefusedWithAdvice() {
    Function<Integer, Integer> plain = number -> number;
    assertThatThrownBy(() -> roundTrip(plain))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("FunctionTest")
        .hasMessageContaining("not serializable")
        .hasMessageContaining("cast");
  }

  @Test
  void unsupportedCaptureIsNamed() {
    Thread thread = Thread.currentThread();
    Making<String> function = () -> thread.getName();
    assertThatThrownBy(() -> roundTrip(function))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the lambda in io.cantle.core.codec.FunctionTest")
        .hasMessageContaining("java.lang.Thread");
  }

  @Test
  void missingLambdaIsReported() {
    Mapping<Integer, Integer> function = number -> number + 7;
    Output out = new Output(16);
    CODEC.encodeFunction(function, out);
    byte[] other =
        RecordTest.rename(out.toByteArray(), "lambda$missingLambda", "lambda$missingLambdX");
    assertThatThrownBy(() -> CODEC.decodeFunction(new Input(other), new CaptureSnapshot()))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("same version of io.cantle.core.codec.FunctionTest");
  }

  private static Mapping<Integer, Integer> adding(int amount) {
    return number -> number + amount;
  }

  @SuppressWarnings("unchecked")
  private <T> T roundTrip(T function) {
    Output out = new Output(16);
    CODEC.encodeFunction(function, out);
    return (T) CODEC.decodeFunction(out.toInput(), new CaptureSnapshot());
  }
}
