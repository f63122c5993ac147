package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.io.File;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What bytes from outside must not be able to do. */
class SecurityTest {
  private static final String HERE = "io.cantle.core.codec";

  private static final Codec OPEN = codec(HERE);
  private static final Codec STRICT = codec("com.acme");

  interface Making<A> extends Supplier<A>, Serializable {}

  interface Mapping<A, B> extends Function<A, B>, Serializable {}

  interface Shape {
    int size();
  }

  record Point(int x) {}

  enum Colour {
    RED
  }

  private static final class Holder {
    @SuppressWarnings("UnusedVariable")
    @Nullable Object held;

    Holder(@Nullable Object held) {
      this.held = held;
    }
  }

  private static final class Handler implements InvocationHandler, Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
      return 1;
    }
  }

  @Test
  void refusesClassesThatAreNotAllowedOnBothSides() {
    for (Object value : List.of(new Point(1), Colour.RED, new Holder(1), new Point[0])) {
      assertRefused(() -> STRICT.encodeValue(value), IllegalArgumentException.class);
      byte[] bytes = OPEN.encodeValue(value);
      assertRefused(() -> STRICT.decodeValue(bytes, 0, bytes.length), MalformedException.class);
    }
    assertRefused(() -> STRICT.encodeKey(new Point(1)), IllegalArgumentException.class);
    byte[] key = OPEN.encodeKey(new Point(1));
    assertRefused(() -> STRICT.decodeKey(key, 0, key.length), MalformedException.class);
  }

  @Test
  void refusesLambdasOfClassesThatAreNotAllowedOnBothSides() {
    Making<String> function = () -> "x";
    assertRefused(
        () -> STRICT.encodeFunction(function, new Output(16)), IllegalArgumentException.class);
    Output out = new Output(16);
    OPEN.encodeFunction(function, out);
    assertRefused(
        () -> STRICT.decodeFunction(out.toInput(), new CaptureSnapshot()),
        MalformedException.class);
    // This also holds for a lambda inside a value.
    byte[] bytes = OPEN.encodeValue(Arrays.asList(function));
    assertRefused(() -> STRICT.decodeValue(bytes, 0, bytes.length), MalformedException.class);
    assertThatThrownBy(() -> STRICT.encodeValue(Arrays.asList(function)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void neverInitialisesAClassThatIsNotAllowed() {
    String trap = HERE + ".InitializationTrap";
    Output block = new Output(64);
    block.writeString(trap);
    block.writeVarint(1);
    block.writeString("number");
    Output frozen = new Output(64);
    frozen.writeByte(Codec.FROZEN_FORM);
    frozen.writeByte(ValueTag.RECORD);
    frozen.writeBlob(block.toByteArray());
    frozen.writeByte(ValueTag.INTEGER);
    frozen.writeByte(2);
    byte[] named = frozen.toByteArray();
    assertRefused(() -> STRICT.decodeValue(named, 0, named.length), MalformedException.class);

    String slashes = trap.replace('.', '/');
    assertRefused(
        () ->
            STRICT.decodeFunction(function(slashes, slashes, "lambda$x$0"), new CaptureSnapshot()),
        MalformedException.class);
    byte[] object = OPEN.encodeValue(Arrays.asList(InitializationTrap.class));
    assertRefused(() -> STRICT.decodeValue(object, 0, object.length), MalformedException.class);
    assertThat(InitializationTrap.TriggerCount.COUNT.get()).isZero();

    Object allowed = OPEN.decodeValue(named, 0, named.length);
    assertThat(allowed).hasToString("InitializationTrap[number=1]");
    assertThat(InitializationTrap.TriggerCount.COUNT.get()).isEqualTo(1);
  }

  @Test
  void refusesMethodsThatLeaveTheJvm() throws Exception {
    for (Object value :
        List.of(
            Runtime.getRuntime(),
            new ProcessBuilder("true"),
            Thread.currentThread(),
            new File("x"),
            SecurityTest.class.getClassLoader(),
            SecurityTest.class.getDeclaredMethods()[0],
            new URI("http://localhost").toURL())) {
      for (Object held : List.of(value, new Holder(value), Arrays.asList(value))) {
        assertThatThrownBy(() -> OPEN.encodeValue(held))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(value.getClass().getName())
            .hasMessageContaining("not allowed");
      }
    }
  }

  @Test
  void refusesProxiesOnBothSides() {
    Object proxy =
        Proxy.newProxyInstance(
            SecurityTest.class.getClassLoader(), new Class<?>[] {Shape.class}, new Handler());
    assertThat(proxy.getClass().getPackageName()).isEqualTo(HERE);
    for (Object value : List.of(proxy, new Holder(proxy))) {
      assertThatThrownBy(() -> OPEN.encodeValue(value))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("dynamic prox");
    }
    byte[] bytes = ProxyBytes.of(proxy, SecurityTest.class.getClassLoader());
    assertThatThrownBy(() -> OPEN.decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("prox");
  }

  /** A class of the user whose binary name has that of a proxy in it. */
  private static final class ProxySettings {
    @SuppressWarnings("UnusedVariable")
    private final int port;

    ProxySettings(int port) {
      this.port = port;
    }
  }

  @Test
  void nestedClassIsNotTakenForAProxy() {
    assertThat(ProxySettings.class.getName()).contains("$Proxy");
    byte[] bytes = OPEN.encodeValue(new ProxySettings(80));
    Object decoded = OPEN.decodeValue(bytes, 0, bytes.length);
    assertThat(decoded).usingRecursiveComparison().isEqualTo(new ProxySettings(80));
  }

  @Test
  void methodReferencesReachOnlyPureJdkFunctions() {
    Making<Runtime> runtime = Runtime::getRuntime;
    Mapping<List<String>, ProcessBuilder> process = ProcessBuilder::new;
    Mapping<String, String> property = System::getProperty;
    Mapping<String, File> file = File::new;
    for (Object function : List.of(runtime, process, property, file)) {
      assertThatThrownBy(() -> OPEN.encodeFunction(function, new Output(16)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not allowed");
    }
    String here = SecurityTest.class.getName().replace('.', '/');
    for (String target :
        List.of(
            "java/lang/Runtime",
            "java/lang/ProcessBuilder",
            "java/lang/System",
            "java/lang/Thread",
            "java/lang/reflect/Method",
            "java/lang/invoke/MethodHandles",
            "java/lang/ClassLoader",
            "java/util/ServiceLoader",
            "java/io/File",
            "javax/naming/InitialContext",
            "com/other/Thing")) {
      assertThatThrownBy(
              () -> OPEN.decodeFunction(function(here, target, "run"), new CaptureSnapshot()))
          .as(target)
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining(target.replace('/', '.'))
          .hasMessageContaining("not allowed");
    }
    assertThatThrownBy(
            () ->
                OPEN.decodeFunction(
                    function(here, "java/lang/Class", "forName"), new CaptureSnapshot()))
        .hasMessageContaining("not allowed");
  }

  @Test
  void unknownMethodReferenceIsNotCreated() {
    String here = SecurityTest.class.getName().replace('.', '/');
    assertThatThrownBy(
            () ->
                OPEN.decodeFunction(
                    function(here, "java/lang/String", "valueOf"), new CaptureSnapshot()))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("does not exist on this node");
  }

  @Test
  void countsAreLimitedByTheRemainingBytes() {
    Output out = new Output(16);
    out.writeByte(Codec.FROZEN_FORM);
    for (int i = 0; i < 60; i++) {
      out.writeByte(ValueTag.LIST);
      out.writeVarint(8_000_000);
    }
    byte[] bytes = Arrays.copyOf(out.toByteArray(), 8_500_000);
    assertThatThrownBy(() -> OPEN.decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void depthIsLimitedWhenReading() {
    byte[] bytes = new byte[1_000_000];
    Arrays.fill(bytes, (byte) 1);
    for (int i = 1; i < bytes.length; i += 2) {
      bytes[i] = ValueTag.LIST;
    }
    assertThatThrownBy(() -> OPEN.decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("deeper than 64");
  }

  /** The bytes of a lambda without parameters and captured values. */
  private static Input function(String capturing, String implementing, String method) {
    Output body = new Output(256);
    body.writeByte(1);
    body.writeByte(1);
    new LambdaDescriptor(
            capturing,
            HERE.replace('.', '/') + "/SecurityTest$Making",
            "get",
            "()Ljava/lang/Object;",
            6,
            implementing,
            method,
            "()Ljava/lang/Object;",
            "()Ljava/lang/Object;")
        .write(body);
    body.writeVarint(0);
    Output out = new Output(256);
    out.writeBlob(body.toByteArray());
    return out.toInput();
  }

  private static Codec codec(String name) {
    return new Codec(ClassAllowList.of(List.of(name)), SecurityTest.class.getClassLoader());
  }

  private static void assertRefused(Runnable action, Class<? extends Exception> type) {
    assertThatThrownBy(action::run)
        .isInstanceOf(type)
        .hasMessageContaining(HERE)
        .hasMessageContaining("GridConfig.allowing");
  }
}
