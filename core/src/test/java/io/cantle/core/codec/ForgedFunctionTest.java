package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.NamedFunctions;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializableSupplier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Functions in bytes that no genuine codec would have written. */
class ForgedFunctionTest {
  private static final String HERE = "io/cantle/core/codec/ForgedFunctionTest";
  private static final String SUPPLIER = "io/cantle/function/SerializableSupplier";

  private final Recording loader = new Recording();

  /** Allows this package and not the one of {@link NamedFunctions}. */
  private final Codec codec = new Codec(ClassAllowList.of(List.of("io.cantle.core.codec")), loader);

  /** The sender's codec, which allows more. */
  private final Codec wide = new Codec(ClassAllowList.of(List.of("io.cantle")), loader);

  /** Records the names of the classes it is asked for. */
  private static final class Recording extends ClassLoader {
    private final List<String> asked = new ArrayList<>();

    Recording() {
      super(ForgedFunctionTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      asked.add(name);
      return super.loadClass(name, resolve);
    }
  }

  record Box(Object content) {}

  @Test
  void aCapturingClassThatIsNotAllowedIsNotLoaded() {
    refused(names("com/evil/Maker", SUPPLIER, HERE, "lambda$x$0"), "com.evil.Maker");
    refused(names("java/lang/Runtime", SUPPLIER, HERE, "lambda$x$0"), "java.lang.Runtime");
    refused(names("java/util/Comparators", SUPPLIER, HERE, "lambda$x$0"), "java.util.Comparators");
  }

  @Test
  void aFunctionTypeThatIsNotAllowedIsNotLoaded() {
    refused(names(HERE, "com/evil/Function", HERE, "lambda$x$0"), "com.evil.Function");
    refused(names(HERE, "java/lang/AutoCloseable", HERE, "lambda$x$0"), "java.lang.AutoCloseable");
    refused(names(HERE, "io/cantle/evil/Function", HERE, "lambda$x$0"), "io.cantle.evil.Function");
    assertThatThrownBy(
            () ->
                codec.decodeFunction(
                    lambda(names(HERE, "java/util/function/Supplier", HERE, "lambda$x$0")),
                    new CaptureSnapshot()))
        .hasMessageContaining("does not exist on this node");
  }

  @Test
  void jdkMethodsWithSideEffectsAreRefusedByName() {
    for (String method :
        List.of(
            "java/lang/Runtime::exec",
            "java/lang/Runtime::getRuntime",
            "java/lang/ProcessBuilder::<init>",
            "java/lang/ProcessBuilder::start",
            "java/lang/System::exit",
            "java/lang/System::load",
            "java/lang/System::setProperty",
            "java/lang/Class::forName",
            "java/lang/ClassLoader::loadClass",
            "java/lang/Thread::startVirtualThread",
            "java/lang/Integer::getInteger",
            "java/lang/Boolean::getBoolean",
            "java/util/Locale::setDefault",
            "java/util/ServiceLoader::load",
            "java/nio/file/Files::delete",
            "java/io/FileOutputStream::<init>",
            "javax/naming/InitialContext::doLookup")) {
      String[] parts = method.split("::", 2);
      refused(names(HERE, SUPPLIER, parts[0], parts[1]), parts[0].replace('/', '.'), parts[1]);
    }
  }

  @Test
  void capturedValuesAreCheckedAtAnyDepth() {
    NamedFunctions foreign = NamedFunctions.NONE;
    List<NamedFunctions> list = List.of(foreign);
    List<Object> object = Arrays.asList(foreign, 1);
    NamedFunctions[] array = {foreign};
    Box record = new Box(List.of(foreign));
    Object[] objects = {object, 1};
    refusedAtTheReceiver(() -> "" + foreign);
    refusedAtTheReceiver(() -> "" + list);
    refusedAtTheReceiver(() -> "" + object);
    refusedAtTheReceiver(() -> "" + array.length);
    refusedAtTheReceiver(() -> "" + record);
    refusedAtTheReceiver(() -> "" + objects.length);
    SerializableSupplier<String> inner = () -> "" + list;
    refusedAtTheReceiver(() -> inner.get());
    List<SerializableSupplier<String>> functions = Arrays.asList(inner, inner);
    refusedAtTheReceiver(() -> functions.get(0).get());
  }

  @Test
  void classLiteralIsCheckedLikeAnObject() {
    Class<?> foreign = NamedFunctions.class;
    Class<?> array = NamedFunctions[].class;
    List<Class<?>> list = Arrays.asList(foreign, String.class);
    refusedAtTheReceiver(() -> foreign.getName());
    refusedAtTheReceiver(() -> array.getName());
    byte[] within = wide.encodeValue(list);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> codec.decodeValue(within, 0, within.length))
        .withMessageContaining("io.cantle.NamedFunctions is not allowed");
  }

  @Test
  void aLambdaWithinAListObeysTheSameRules() {
    SerializableFunction<Integer, String> reference = Integer::toHexString;
    byte[] bytes = codec.encodeValue(Arrays.asList(reference, 1));
    assertThat(codec.decodeValue(bytes, 0, bytes.length)).isInstanceOf(List.class);
    for (List<String> change :
        List.of(
            List.of("java/lang/Integer", "java/lang/Runtime"),
            List.of("java/lang/Integer", "com/evil/WickedOn"),
            List.of("ForgedFunctionTest", "ForgedFunctionTesx"),
            List.of(HERE, "io/cantle/core/evil1/ForgedFunctionTest"),
            List.of("io/cantle/function/Ser", "io/cantle/evilness/Ser"))) {
      String to = change.getLast();
      String from = change.getFirst();
      byte[] forged = renamed(bytes, from, to);
      loader.asked.clear();
      assertThatExceptionOfType(MalformedException.class)
          .as(to)
          .isThrownBy(() -> codec.decodeValue(forged, 0, forged.length))
          .withMessageContaining(to.replace('/', '.'))
          .withMessageContaining(" class ");
      if (!to.equals("ForgedFunctionTesx")) {
        assertThat(loader.asked).noneMatch(name -> name.contains(to.replace('/', '.')));
      }
    }
    SerializableSupplier<Runtime> runtime = Runtime::getRuntime;
    assertThatThrownBy(() -> codec.encodeValue(Arrays.asList(runtime)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("method getRuntime of class java.lang.Runtime is not allowed");
  }

  @Test
  void lambdaInForysFormatIsRefused() {
    SerializableSupplier<Runtime> runtime = Runtime::getRuntime;
    for (Object value : List.of(runtime, Arrays.asList(runtime))) {
      byte[] bytes = withoutRules(value);
      assertThatThrownBy(() -> codec.decodeValue(bytes, 0, bytes.length))
          .isInstanceOf(MalformedException.class);
    }
    SerializableSupplier<String> fair = () -> "fair";
    Object parts = Objects.requireNonNull(LambdaReflection.disassemble(fair));
    byte[] bytes = withoutRules(Arrays.asList(parts));
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> codec.decodeValue(bytes, 0, bytes.length))
        .withMessageContaining("the parts of a lambda are never sent as an object");
    assertThatThrownBy(() -> codec.encodeValue(parts)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void depthCountAndBytesAreBounded() {
    LambdaDescriptor fair = names(HERE, SUPPLIER, HERE, "lambda$x$0");
    String made = "does not exist on this node";
    refused(body -> nested(body, fair, 32), made);
    refused(body -> nested(body, fair, 33), "deeper than 32");
    refused(body -> many(body, fair, 255), made);
    refused(body -> many(body, fair, 256), "256");
    refused(body -> names("x".repeat(65_536), SUPPLIER, HERE, "x").write(body), "65536 bytes");
    refused(
        body -> {
          fair.write(body);
          body.writeVarint(1);
          body.writeByte(9);
        },
        "captured value: 9");
    refused(
        body -> {
          fair.write(body);
          body.writeVarint(0);
          body.writeByte(0);
        },
        "1 bytes follow");
    Output out = new Output(16);
    out.writeBlob(new byte[(16 << 20) + 1]);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> codec.decodeFunction(out.toInput(), new CaptureSnapshot()))
        .withMessageContaining("16777217 bytes, beyond 16777216");
    byte[] big = new byte[16 << 20];
    SerializableSupplier<Integer> tooBig = () -> big.length;
    assertThatThrownBy(() -> codec.encodeFunction(tooBig, new Output(16)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("put that into a cache");
  }

  private static void nested(Output body, LambdaDescriptor descriptor, int levels) {
    for (int i = 1; i < levels; i++) {
      descriptor.write(body);
      body.writeVarint(1);
      body.writeByte(2);
    }
    descriptor.write(body);
    body.writeVarint(0);
  }

  private static void many(Output body, LambdaDescriptor descriptor, int count) {
    descriptor.write(body);
    body.writeVarint(count);
    for (int i = 0; i < count; i++) {
      body.writeByte(0);
    }
  }

  private void refused(LambdaDescriptor descriptor, String... words) {
    loader.asked.clear();
    assertThatExceptionOfType(MalformedException.class)
        .as(words[0])
        .isThrownBy(() -> codec.decodeFunction(lambda(descriptor), new CaptureSnapshot()))
        .withMessageContainingAll(words)
        .withMessageContaining("not allowed");
    assertThat(loader.asked).isEmpty();
  }

  private void refused(Consumer<Output> body, String words) {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> codec.decodeFunction(lambda(body), new CaptureSnapshot()))
        .withMessageContaining(words);
  }

  private void refusedAtTheReceiver(SerializableSupplier<String> function) {
    Output out = new Output(16);
    wide.encodeFunction(function, out);
    assertThat(wide.decodeFunction(out.toInput(), new CaptureSnapshot()))
        .isInstanceOf(SerializableSupplier.class);
    loader.asked.clear();
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> codec.decodeFunction(out.toInput(), new CaptureSnapshot()))
        .withMessageContaining("class ")
        .withMessageContaining("io.cantle.NamedFunctions")
        .withMessageContaining("not allowed");
    assertThat(loader.asked).doesNotContain(NamedFunctions.class.getName(), HERE.replace('/', '.'));
    assertThatThrownBy(() -> codec.encodeFunction(function, new Output(16)))
        .isInstanceOf(CaptureException.class)
        .hasMessageContaining("io.cantle.NamedFunctions");
  }

  private static LambdaDescriptor names(
      String capturing, String type, String implementing, String method) {
    String signature = "()Ljava/lang/Object;";
    return new LambdaDescriptor(
        capturing, type, "get", signature, 6, implementing, method, signature, signature);
  }

  private static Input lambda(LambdaDescriptor descriptor) {
    return lambda(body -> many(body, descriptor, 0));
  }

  private static Input lambda(Consumer<Output> rest) {
    Output body = new Output(256);
    body.writeByte(1);
    body.writeByte(1);
    rest.accept(body);
    Output out = new Output(256);
    out.writeBlob(body.toByteArray());
    return out.toInput();
  }

  private static byte[] renamed(byte[] bytes, String from, String to) {
    return RecordTest.rename(bytes, from, to);
  }

  private static byte[] withoutRules(Object value) {
    return ProxyBytes.of(value, ForgedFunctionTest.class.getClassLoader());
  }
}
