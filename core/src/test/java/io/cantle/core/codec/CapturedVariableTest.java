package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.TypeCodecs;
import io.cantle.core.base.Output;
import io.cantle.function.SerializablePredicate;
import io.cantle.function.SerializableSupplier;
import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Messages about captured values that cannot be sent. */
class CapturedVariableTest {
  private static final Codec CODEC = codec("io.cantle.core.codec");
  private static final String HERE = CapturedVariableTest.class.getName();

  /** An allowed class that holds something that cannot be sent. */
  static final class Limiter {
    final Thread thread = Thread.currentThread();

    boolean allows(Integer number) {
      return number > thread.threadId();
    }

    boolean refuses(Integer number) {
      return !allows(number);
    }

    boolean meets(Integer number) {
      return number == 0;
    }

    boolean exists(Integer number) {
      return number != null;
    }
  }

  private final Limiter limiter = new Limiter();

  @Test
  void namesALocalVariableItsTypeTheMethodAndTheLine() {
    long wide = 7;
    double real = 0.5;
    Thread worker = Thread.currentThread();
    SerializableSupplier<String> function = () -> wide + real + worker.getName();
    assertThat(refusal(function))
        .startsWith(
            "variable \"worker\" of type java.lang.Thread captured by the lambda in "
                + HERE
                + ".namesALocalVariableItsTypeTheMethodAndTheLine (CapturedVariableTest.java:")
        .matches("(?s).*java:\\d+\\) is not allowed: .*")
        .contains("not a value type of the JDK", ". Alternatives: capture a plain value");
  }

  @Test
  void namesAParameter() {
    assertThat(refusal(named(1, Thread.currentThread(), 2)))
        .contains(
            "variable \"given\" of type java.lang.Thread", HERE + ".named (CapturedVariableTest");
  }

  private static SerializableSupplier<String> named(int before, Thread given, int after) {
    return () -> before + given.getName() + after;
  }

  @Test
  void namesThePackageToAllow() {
    List<Integer> plain = List.of(1);
    Limiter other = new Limiter();
    SerializablePredicate<Integer> function =
        number -> plain.contains(number) || other.allows(number);
    Output out = new Output(16);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec("com.acme").encodeFunction(function, out))
        .withMessageContaining("a function of class " + HERE);
    Predicate<Integer> isOther = number -> other.allows(number);
    ClassResolver nothing =
        new ClassResolver(
            ClassAllowList.of(List.of()),
            CapturedVariableTest.class.getClassLoader(),
            new UserCodecRegistry(TypeCodecs.NONE, "n1"));
    assertThat(
            new CapturedVariable(function.getClass(), parts(function), 1, nothing)
                .refusalMessage("x"))
        .contains("variable \"other\" of type " + Limiter.class.getTypeName())
        .contains(
            "is not allowed: add its package \"io.cantle.core.codec\" to GridConfig.allowing on every"
                + " node. Alternatives: capture a plain value");
    assertThat(isOther.test(-1)).isFalse();
  }

  @Test
  void describesWhatIsInsideAnObjectOrList() {
    Limiter other = new Limiter();
    SerializablePredicate<Integer> function = number -> other.allows(number);
    assertThat(refusal(function))
        .contains("variable \"other\" of type " + Limiter.class.getTypeName(), "cannot be sent: ")
        .contains("java.lang.Thread is not allowed");
    List<Object> many = new ArrayList<>(List.of(Thread.currentThread()));
    SerializableSupplier<Integer> size = () -> many.size();
    assertThat(refusal(size))
        .contains(
            "variable \"many\" of type java.util.ArrayList", "java.lang.Thread is not allowed");
    Thread[] threads = {Thread.currentThread()};
    SerializableSupplier<Integer> length = () -> threads.length;
    assertThat(refusal(length))
        .contains(
            "variable \"threads\" of type java.lang.Thread[]", "is not allowed: it is not a value");
  }

  @Test
  void saysThatAFieldIsThis() {
    SerializablePredicate<Integer> function = number -> limiter.allows(number);
    assertThat(refusal(function))
        .startsWith("the lambda in " + HERE + ".saysThatAFieldIsThis (CapturedVariableTest.java:")
        .contains(
            ") uses this (" + HERE + ") for its field \"limiter\"; copy the field into a local")
        .contains("java.lang.Thread is not allowed");
    SerializablePredicate<Integer> called = number -> isAllowed(number);
    assertThat(refusal(called))
        .contains("uses this (" + HERE + "), probably through one of its fields or methods; copy");
  }

  private boolean isAllowed(Integer number) {
    return limiter.allows(number);
  }

  @Test
  void namesTheReceiverOfAMethodReference() {
    Limiter bound = new Limiter();
    SerializablePredicate<Integer> ofVariable = bound::allows;
    assertThat(refusal(ofVariable))
        .contains(
            "variable \"bound\" of type " + Limiter.class.getTypeName() + " bound to the method")
        .contains(
            "Limiter::allows in "
                + HERE
                + ".namesTheReceiverOfAMethodReference (CapturedVariableTest");
    SerializablePredicate<Integer> ofField = limiter::refuses;
    assertThat(refusal(ofField)).startsWith("field \"limiter\" of type ");
    SerializablePredicate<Integer> ofThis = this::isAllowed;
    assertThat(refusal(ofThis))
        .startsWith("the method reference " + HERE + "::isAllowed in ")
        .contains("uses this (" + HERE + "), probably");
    SerializablePredicate<Integer> ofNew = new Limiter()::exists;
    assertThat(refusal(ofNew)).startsWith("the object of type ");
  }

  @Test
  void doesNotGuessBetweenTwoReferencesToOneMethod() {
    Limiter one = new Limiter();
    Limiter other = new Limiter();
    SerializablePredicate<Integer> first = one::meets;
    SerializablePredicate<Integer> second = other::meets;
    for (Object function : List.of(first, second)) {
      assertThat(refusal(function))
          .startsWith("the object of type " + Limiter.class.getTypeName() + " bound to the method")
          .containsPattern("ReferencesToOneMethod \\(CapturedVariableTest.java:\\d+ or \\d+\\)");
    }
  }

  @Test
  void followsFunctionsWithinFunctions() {
    Thread worker = Thread.currentThread();
    SerializableSupplier<String> inner = () -> worker.getName();
    SerializableSupplier<String> outer = () -> inner.get() + 1;
    assertThat(refusal(outer))
        .startsWith(
            "variable \"inner\" of type io.cantle.function.SerializableSupplier captured by")
        .contains("cannot be sent: variable \"worker\" of type java.lang.Thread captured by");
    SerializableSupplier<SerializableSupplier<String>> maker = () -> () -> worker.getName();
    assertThat(refusal(maker))
        .contains("variable \"worker\"", ".followsFunctionsWithinFunctions (");
  }

  @Test
  void namesAFunctionThatIsNotSerializable() {
    Function<String, Integer> plain = text -> text.length();
    SerializableSupplier<Integer> function = () -> plain.apply("x");
    assertThat(refusal(function))
        .contains(
            "variable \"plain\" of type java.util.function.Function captured by the lambda in")
        .contains("is not serializable");
  }

  @Test
  void comparatorsOfTheJdkAreFollowed() {
    Thread worker = Thread.currentThread();
    Function<String, String> extractor =
        (Function<String, String> & Serializable) text -> text + worker;
    assertThat(refusal(Comparator.comparing(extractor)))
        .contains("variable \"worker\" of type java.lang.Thread")
        .contains(".comparatorsOfTheJdkAreFollowed (CapturedVariableTest.java:")
        .doesNotContain("java.util.Comparator");
  }

  @Test
  void withoutDebugInformationCountsTheValues() throws Exception {
    assertThat(refusal(new StrippedLoader(true).function()))
        .startsWith("captured value 2 of 2 (of type java.lang.Thread) of the lambda in ")
        .contains("StrippedLoader$Stripped.supplier is not allowed: ");
  }

  @Test
  void withoutAClassFileCountsTheValues() throws Exception {
    assertThat(refusal(new StrippedLoader(false).function()))
        .startsWith("captured value 2 of 2 (of type java.lang.Thread) of the lambda in ")
        .contains("StrippedLoader$Stripped is not allowed: ");
  }

  @Test
  void namesAreLookedForOnlyWhenTheMessageIsAskedFor() throws Exception {
    StrippedLoader loader = new StrippedLoader(true);
    Object function = loader.function();
    int before = loader.asked();
    assertThatThrownBy(() -> CODEC.encodeFunction(function, new Output(16)))
        .isInstanceOf(CaptureException.class)
        .satisfies(thrown -> assertThat(loader.asked()).isEqualTo(before))
        .hasMessageContaining("captured value 2");
    assertThat(loader.asked()).isGreaterThan(before);
  }

  private static SerializedLambda parts(Object function) {
    return Objects.requireNonNull(LambdaReflection.disassemble(function));
  }

  private static String refusal(Object function) {
    try {
      CODEC.encodeFunction(function, new Output(16));
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("not refused");
  }

  private static Codec codec(String name) {
    return new Codec(ClassAllowList.of(List.of(name)), CapturedVariableTest.class.getClassLoader());
  }
}
