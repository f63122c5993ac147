package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.Cache;
import io.cantle.GridConfig;
import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializablePredicate;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests functions registered by name, on a node that allows none of their classes. */
@SuppressWarnings("UnnecessaryLambda") // The lambda in a constant is what is registered.
final class NamedFunctionsTest {
  private static final SerializableBiFunction<String, String, String> WHERE =
      (key, value) -> Thread.currentThread().toString();
  private static final SerializablePredicate<String> SHORT = text -> text.length() < 2;

  private static final GridConfig CONFIG =
      GridConfig.named("named").nodeName("single").timeout(Duration.ofSeconds(20));

  @Test
  void registeredFunctionRunsAtThePrimaryAndAnUnregisteredOneLocally() {
    SerializableBiFunction<String, String, String> twin =
        (key, value) -> Thread.currentThread().toString();
    try (NodeGrid node = node(CONFIG.function("where", WHERE))) {
      Cache<String, String> names = node.cache("names");
      String here = Thread.currentThread().toString();
      names.put("a", "");
      assertThat(names.compute("a", WHERE)).isNotEqualTo(here).contains("Virtual");
      assertThat(names.compute("a", twin)).isEqualTo(here);
    }
  }

  @Test
  void registeredFunctionWorksAsAStreamStage() {
    try (NodeGrid node = node(CONFIG.function("short", SHORT))) {
      Cache<String, String> texts = node.cache("texts");
      texts.put("a", "x");
      texts.put("b", "yy");
      assertThat(texts.values().stream().filter(SHORT).count()).isEqualTo(1);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> texts.values().stream().filter(text -> text.length() < 2))
          .withMessageContaining("not allowed");
    }
  }

  @Test
  void unsendableCaptureIsNamedWhenTheStreamIsBuilt() {
    Thread worker = Thread.currentThread();
    try (NodeGrid node = node(CONFIG.allowing(NamedFunctionsTest.class.getPackageName()))) {
      Cache<String, String> texts = node.cache("texts");
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  texts.values().stream()
                      .filter(text -> !text.isEmpty())
                      .filter(text -> text.equals(worker.getName())))
          .withMessageStartingWith("filter after 1 stage")
          .withMessageContaining(
              "variable \"worker\" of type java.lang.Thread captured by the lambda in "
                  + NamedFunctionsTest.class.getName()
                  + ".unsendableCaptureIsNamedWhenTheStreamIsBuilt (NamedFunctionsTest.java:")
          .withMessageContaining("is not allowed: it is not a value type of the JDK");
    }
  }

  private static NodeGrid node(GridConfig config) {
    SystemEnvironment environment = new SystemEnvironment("named");
    return Node.startLocal(
        config,
        NamedFunctionsTest.class.getClassLoader(),
        environment.environment(),
        environment::close);
  }
}
